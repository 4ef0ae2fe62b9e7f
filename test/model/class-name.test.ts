import {expect, test} from 'vitest';
import {normalClassName} from '../../source/model/class-name.js';

test.each([
	['Shapes$$Lambda$50/1338668845', 'Shapes$$Lambda'],
	['Shapes$$Lambda$14/0x00007f7e10008660', 'Shapes$$Lambda'],
	['Shapes$$Lambda/0x00007f2cc00550b0', 'Shapes$$Lambda'],
	['Shapes$$Lambda+0x00007f2cc00550b0', 'Shapes$$Lambda'],
	['Shapes$$Lambda$50', 'Shapes$$Lambda'],
	['java.lang.invoke.LambdaForm$MH/0x0000000800c02400', 'java.lang.invoke.LambdaForm$MH'],
	['java.lang.invoke.LambdaForm$DMH/1751075886', 'java.lang.invoke.LambdaForm$DMH'],
	['jdk.internal.reflect.GeneratedMethodAccessor12', 'jdk.internal.reflect.GeneratedMethodAccessor'],
	['sun.reflect.GeneratedConstructorAccessor1', 'sun.reflect.GeneratedConstructorAccessor'],
	['jdk.proxy2.$Proxy12', 'jdk.proxy2.$Proxy12'],
	['com.acme.Outer$1', 'com.acme.Outer$1'],
	['java.lang.invoke.DirectMethodHandle$Holder', 'java.lang.invoke.DirectMethodHandle$Holder'],
	['com.acme.My$$LambdaFactory', 'com.acme.My$$LambdaFactory'],
	['', ''],
])('%s', (name, normal) => {
	expect(normalClassName(name)).toBe(normal);
	expect(normalClassName(normal)).toBe(normal);
});
