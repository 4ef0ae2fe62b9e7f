import {expect, test} from 'vitest';
import {IdleList, idleCalls, idleKind} from '../../source/jvm/threads/idle.js';

test('every call is there once, with a reason', () => {
	const names = idleCalls.map(call => `${call.className}.${call.method}`);
	expect(new Set(names).size).toBe(names.length);
	expect(idleCalls.filter(call => call.reason.length < 10)).toEqual([]);
});

test('kinds and reasons', () => {
	const list = new IdleList();
	expect(list.kindOf('sun.nio.ch.EPoll', 'wait')).toBe(idleKind.always);
	expect(list.kindOf('java.io.FileInputStream', 'readBytes')).toBe(idleKind.withoutCpu);
	expect(list.kindOf('com.acme.Main', 'run')).toBe(idleKind.none);
	expect(list.reasonOf('java.net.PlainSocketImpl', 'socketAccept')).toMatch(/connection/);
	expect(list.reasonOf('com.acme.Main', 'run')).toBeUndefined();
});

test('the user adds calls; what is no Class.method is left out', () => {
	const list = new IdleList(['com.acme.Native.await', 'nonsense', '.x']);
	expect(list.kindOf('com.acme.Native', 'await')).toBe(idleKind.always);
	expect(list.reasonOf('com.acme.Native', 'await')).toMatch(/--idle-calls/);
	expect(list.kindOf('', 'nonsense')).toBe(idleKind.none);
	expect(list.kindOf('sun.nio.ch.Net', 'accept')).toBe(idleKind.always);
});
