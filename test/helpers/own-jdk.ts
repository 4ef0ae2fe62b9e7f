import {copyFileSync, cpSync, mkdirSync, readdirSync, realpathSync, symlinkSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type {Jdk, JavaOptions} from './jvm.js';

/** Makes a JDK (9 or later) with a java and a libjvm.so of its own, the rest borrowed from another one; how to start it. */
export function jdkOfItsOwn(folder: string, jdk: Jdk): JavaOptions {
	const {home} = jdk;
	const [bin, lib, server] = ['bin', 'lib', 'lib/server'].map(name => path.join(folder, name));
	mkdirSync(bin, {recursive: true});
	mkdirSync(lib);
	copyFileSync(path.join(home, 'bin/java'), path.join(bin, 'java'));
	cpSync(path.join(home, 'lib/server'), server, {recursive: true, dereference: true});
	symlinkSync(path.join(home, 'conf'), path.join(folder, 'conf'));
	for (const name of readdirSync(path.join(home, 'lib')).filter(each => each !== 'server' && each !== 'src.zip')) {
		symlinkSync(realpathSync(path.join(home, 'lib', name)), path.join(lib, name));
	}

	return {jdk, java: [path.join(bin, 'java')], env: {...process.env, LD_LIBRARY_PATH: lib}};
}
