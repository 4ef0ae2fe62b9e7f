import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';

const cache = path.resolve('node_modules/.cache/bench-jars');

/** Fetches artifacts ("group:name:version") with all that they need, once; returns the folder of their jars. */
export function jarsOf(artifacts: readonly string[]): string {
	const id = createHash('sha256').update(artifacts.join(' ')).digest('hex').slice(0, 12);
	const folder = path.join(cache, id);
	if (existsSync(folder)) {
		return folder;
	}

	const work = `${folder}.new`;
	rmSync(work, {recursive: true, force: true});
	mkdirSync(work, {recursive: true});
	const dependencies = artifacts.map(artifact => artifact.split(':')).map(([group, name, version]) =>
		`<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`);
	writeFileSync(
		path.join(work, 'pom.xml'),
		`<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<packaging>pom</packaging><groupId>bench</groupId><artifactId>bench</artifactId><version>1</version>
<dependencies>${dependencies.join('')}</dependencies></project>`,
	);
	execFileSync('mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=.', '-DincludeScope=runtime'], {
		cwd: work,
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	renameSync(work, folder);
	return folder;
}
