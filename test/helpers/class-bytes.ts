import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {AttachClient} from '../../source/engines/attach/socket/client.js';
import type {Target} from '../../source/jvm/target.js';
import {compileProgram, type Jdk} from './jvm.js';
import {patienceMs} from './until.js';

/** A class as it is in a JVM now, through an agent of our own: its bytes, and its code without numbers of constants. */
export async function classBytes(target: Target, name: string, on: Jdk): Promise<{readonly bytes: string; readonly code: string}> {
	const folder = mkdtempSync(path.join(tmpdir(), 'tprof-class-bytes-'));
	try {
		const [jar, file] = [path.join(folder, 'agent.jar'), path.join(folder, 'Bytes.class')];
		writeFileSync(path.join(folder, 'manifest'), 'Agent-Class: ClassBytes\nCan-Retransform-Classes: true\n');
		execFileSync(path.join(on.home, 'bin/jar'), ['cfm', jar, path.join(folder, 'manifest'), '-C', compileProgram('ClassBytes', on), '.']);
		const reply = await new AttachClient(target).request('load', ['instrument', 'false', `${jar}=${name}=${file}`], {timeoutMs: patienceMs});
		if (reply.status !== 'ok') {
			throw new Error(reply.reason);
		}

		const code = execFileSync(path.join(on.home, 'bin/javap'), ['-c', '-p', file], {encoding: 'utf8'});
		return {bytes: readFileSync(file, 'hex'), code: code.replaceAll(/#\d+/g, '#').replaceAll(/\bldc(?:_w)?\b/g, 'ldc').replaceAll(/ +/g, ' ')};
	} finally {
		rmSync(folder, {recursive: true, force: true});
	}
}
