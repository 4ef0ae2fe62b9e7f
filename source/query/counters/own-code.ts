import {nativeCodeLine} from '../../model/frame.js';
import {getOrCreate} from '../../util/get-or-create.js';
import type {Location} from '../types/query.js';

/** Packages that are not own code unless `--app` lists them: the packages of the JDK, Kotlin and Scala. */
const libraries = ['java', 'javax', 'jdk', 'sun', 'com.sun', 'kotlin', 'scala'];

export type OwnCode = {
	readonly key: string;
	isOwn(className: string): boolean;
};

/** What a location is: the program's own code, a library's, or the JVM's, native or unknown code. */
export type CodeKind = 'own' | 'library' | 'other';

/** Returns what a location is by the rule of `--app`. */
export function codeKind({className, line}: Pick<Location, 'className' | 'line'>, app?: readonly string[]): CodeKind {
	if (line === nativeCodeLine || isPseudoClass(className)) {
		return 'other';
	}

	return ownCode(app).isOwn(className) ? 'own' : 'library';
}

/** Whether a class name is that of JVM work or of unknown code: `[gc]`, `(unattributed)`. */
export function isPseudoClass(className: string): boolean {
	return className.startsWith('[') || className.startsWith('(');
}

/** The rules made so far, by `OwnCode.key`. */
const rules = new Map<string, OwnCode>();

/**
Returns the rule of `--app`: packages or classes that are own or, with `!`, are not; the longest match decides. If all
have a `!`, or there are none, everything else but `libraries` is own.
*/
export function ownCode(app: readonly string[] = []): OwnCode {
	const key = app.join(',');
	return getOrCreate(rules, key, () => ({key, isOwn: ruleOf(app)}));
}

/** Returns the rule of the program's code: own code without known libraries, unless `--app` says what is own. */
export function programCode(app?: readonly string[]): OwnCode {
	const own = ownCode(app);
	const isOwn: OwnCode['isOwn'] = className => own.isOwn(className) && !isOfKnownLibrary(className);
	return app ? own : getOrCreate(rules, 'program', () => ({key: 'program', isOwn}));
}

/** Libraries that are own code by the default rule, but whose lines tell less than the line that called them. */
const knownLibraries = new Set([
	'ch.qos',
	'com.fasterxml',
	'com.google',
	'com.mchange',
	'com.mongodb',
	'com.mysql',
	'com.rabbitmq',
	'com.zaxxer',
	'io.grpc',
	'io.lettuce',
	'io.micrometer',
	'io.netty',
	'io.reactivex',
	'io.undertow',
	'io.vertx',
	'net.sf',
	'okhttp3',
	'oracle.jdbc',
	'oracle.net',
	'org.apache',
	'org.eclipse',
	'org.glassfish',
	'org.h2',
	'org.hibernate',
	'org.jboss',
	'org.mariadb',
	'org.postgresql',
	'org.slf4j',
	'org.springframework',
	'reactor.core',
	'redis.clients',
]);

function isOfKnownLibrary(className: string): boolean {
	const parts = className.split('.', 3);
	return parts.length > 1 && (knownLibraries.has(parts[0]) || knownLibraries.has(`${parts[0]}.${parts[1]}`));
}

function ruleOf(app: readonly string[]): OwnCode['isOwn'] {
	const listsOwnCode = app.some(prefix => !prefix.startsWith('!'));
	const prefixes = [...app, ...(listsOwnCode ? [] : libraries.map(library => `!${library}`))]
		.map(prefix => ({isOwn: !prefix.startsWith('!'), name: prefix.replace(/^!/, '').replace(/[.*]+$/, '')}))
		.sort((a, b) => b.name.length - a.name.length);
	return className =>
		!isPseudoClass(className) && (prefixes.find(({name}) => isWithin(className, name))?.isOwn ?? !listsOwnCode);
}

/** Whether a class is in or below a package, or is that class or nested in it. `/` begins a hidden class's suffix. */
function isWithin(className: string, name: string): boolean {
	const next = className[name.length];
	return className.startsWith(name) && (next === undefined || next === '.' || next === '$' || next === '/');
}
