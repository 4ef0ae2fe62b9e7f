import {spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync} from 'node:fs';
import {homedir, tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type {Jdk} from '../../test/helpers/jvm.js';

const version = '4.0';
const artifact = `tools.profiler:async-profiler:${version}`;
const jar = path.join(
	homedir(),
	`.m2/repository/tools/profiler/async-profiler/${version}/async-profiler-${version}.jar`,
);
const inJar = 'linux-x64/libasyncProfiler.so';

/**
async-profiler's library: $ASYNC_PROFILER, or out of its Maven artifact, which is fetched with `mvn` where it is not in
the local repository; undefined where neither is to be had.
*/
export function asyncProfiler({home}: Jdk): string | undefined {
	const given = process.env.ASYNC_PROFILER;
	if (given) {
		return path.resolve(given);
	}

	if (!existsSync(jar)) {
		spawnSync('mvn', ['-q', 'dependency:get', `-Dartifact=${artifact}`], {stdio: 'ignore'});
	}

	if (!existsSync(jar)) {
		return undefined;
	}

	const folder = mkdtempSync(path.join(tmpdir(), 'tprof-async-profiler-'));
	spawnSync(path.join(home, 'bin/jar'), ['xf', jar, inJar], {cwd: folder});
	const library = path.join(folder, inJar);
	return existsSync(library) ? library : undefined;
}
