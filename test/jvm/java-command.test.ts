import process from 'node:process';
import {expect, test} from 'vitest';
import {
	expandArguments,
	parseJavaCommand,
	parseRecordedCommand,
	shortMain,
} from '../../source/jvm/identity/java-command.js';
import {jdkVersionOf} from '../../source/jvm/identity/libraries.js';
import {featureRelease} from '../../source/model/snapshot.js';
import {parseAttachFlags} from '../../source/jvm/counters/jvm-flags.js';

test.each([
	['com.acme.Main a b', 'com.acme.Main', ['a', 'b']],
	['-Xmx1g -cp x.jar:y.jar com.acme.Main -jar z', 'com.acme.Main', ['-jar', 'z']],
	['-classpath x --add-opens java.base/java.lang=ALL-UNNAMED Main', 'Main', []],
	['--class-path=x --add-modules=java.sql Main 1', 'Main', ['1']],
	['-Dx=y -jar /opt/app/shop.jar --port 1', '/opt/app/shop.jar', ['--port', '1']],
	['-p mods -m com.acme/com.acme.Main x', 'com.acme/com.acme.Main', ['x']],
	['--module-path mods --module=com.acme/com.acme.Main', 'com.acme/com.acme.Main', []],
	['-version', '', []],
	['-cp', '', []],
	['-jar', '', []],
	['', '', []],
])('java %s', (line, main, args) => {
	const parsed = parseJavaCommand(line.split(' '));
	expect({main: parsed.main, args: parsed.args}).toEqual({main, args});
});

test('the recorded command of a jar in a folder with blanks is taken apart behind the jar', () => {
	expect(parseRecordedCommand('/opt/my app/shop.jar --port 1')).toEqual({
		main: '/opt/my app/shop.jar',
		args: ['--port', '1'],
	});
	expect(parseRecordedCommand('com.acme.Main a  b.jar')).toEqual({main: 'com.acme.Main', args: ['a', 'b.jar']});
	expect(parseRecordedCommand('')).toEqual({main: '', args: []});
});

test('a name is short in lists', () => {
	expect(['/opt/my app/shop.jar', 'com.acme/com.acme.Main', 'Main', ''].map(main => shortMain(main))).toEqual([
		'shop.jar',
		'com.acme.Main',
		'Main',
		'',
	]);
});

test('argument files are put in the line\'s place, escaped ones are not', () => {
	const read = (name: string) => ({one: '# heap\n-Xmx1g "-Dx=a b"\n-Dy=\'c d\'', main: 'com.acme.Main'})[name];
	expect(expandArguments(['@one', '@main', '@gone', 'x'], read)).toEqual([
		'-Xmx1g',
		'-Dx=a b',
		'-Dy=c d',
		'com.acme.Main',
		'x',
	]);
	expect(expandArguments(['@@one'], read)).toEqual(['@one']);
	expect(expandArguments(Array.from({length: 1000}, () => '@main'), read)).toHaveLength(64);
});

test.each([
	[['-XX:+DisableAttachMechanism'], [], true, false],
	[[], ['JAVA_TOOL_OPTIONS=-Dx=1 -XX:+DisableAttachMechanism'], true, false],
	[[], ['JDK_JAVA_OPTIONS="-XX:+DisableAttachMechanism"'], true, false],
	[['-XX:-DisableAttachMechanism'], ['JAVA_TOOL_OPTIONS=-XX:+DisableAttachMechanism'], false, false],
	[['-XX:-DisableAttachMechanism'], ['_JAVA_OPTIONS=-XX:+DisableAttachMechanism'], true, false],
	[['-Xrs'], ['PATH=-XX:+DisableAttachMechanism'], false, true],
	[['-XX:+ReduceSignalUsage', '-XX:-ReduceSignalUsage'], [], false, false],
])('flags of %j with %j', (args, environment, attachDisabled, reducedSignals) => {
	expect(parseAttachFlags(args, environment)).toEqual({attachDisabled, reducedSignals});
});

test('a Java version gives its feature release', () => {
	expect(['1.8.0_504', '17.0.15', '21', '25-ea', '27.0.1.0.3', '', 'x', '12345'].map(text => featureRelease(text)))
		.toEqual([8, 17, 21, 25, 27, 0, 0, 0]);
});

test('a path alone tells a version when no file does', () => {
	expect(featureRelease(jdkVersionOf('/gone/java-11-openjdk-amd64/lib/server/libjvm.so', process.pid))).toBe(11);
	expect(featureRelease(jdkVersionOf('/gone/jdk1.8.0_202/jre/lib/amd64/server/libjvm.so', process.pid))).toBe(8);
	expect(featureRelease(jdkVersionOf('/gone/app/lib/server/libjvm.so', process.pid))).toBe(0);
});
