import {describe, expect, test} from 'vitest';
import {defaultQuery} from '../../../source/query/types/query.js';
import {countedLines} from '../../../source/query/counted-lines.js';
import {scopeOf} from '../../../source/query/counters/scope.js';
import {javaForTest} from '../../helpers/for-test.js';
import {jdks} from '../../helpers/jvm.js';
import {samplerForTest} from '../../helpers/sampling.js';
import {until} from '../../helpers/until.js';

/** Methods that must have been seen while they were compiled. */
const wanted = 2;

/**
A line of -XX:+PrintCompilation: time, number, attributes (% for on-stack replacement), level, method, and where a loop
is entered: `   1234  567 % b  4       com.acme.Foo::bar @ 12 (34 bytes)`.
*/
const printedLine = /^ *\d+ +\d+ [ %][ s][ !][ b][ n] +(\d) +(\S+)::(\S+)(?: @ (\d+))? \(\d+ bytes\)/gm;

describe.each(jdks())('JDK $release', on => {
	test('compilers have the method, the tier and the loop\'s entry that they compile, as the JVM prints them', async () => {
		const java = await javaForTest('CompilesOften', {jdk: on, jvmArgs: ['-XX:+PrintCompilation', '-Xcomp'], ready: /^ready/m, under: []});
		const sampler = await samplerForTest(java, {timer: 'auto'});
		const scopeOfAll = () => ({...scopeOf(sampler.read()!, defaultQuery), allWork: true});
		const methods = () => countedLines(sampler.read()!, undefined, defaultQuery, scopeOfAll()).rows.filter(({className, method}) => className === '[jit]' && method.includes('.')).map(({method}) => method);
		await until(() => sampler.read() !== undefined && methods().length >= wanted);
		const seen = methods();
		const printed = new Set(Array.from(java.output().matchAll(printedLine), ([, level, className, method, bci]) => `${level === '4' ? 'C2' : `C1 tier ${level}`} ${className}.${method}${bci === undefined ? '' : `@${bci}`}`));
		expect(seen.filter(method => !printed.has(method))).toEqual([]);
	});
});
