#!/usr/bin/env node
// The kubectl plugin: makes the command line of kubectl debug, and runs or prints it.
import {spawn, spawnSync} from 'node:child_process';
import process from 'node:process';
import {parseArgs} from 'node:util';
import {printable} from './util/printable.js';
import {endSignals, exitCodeAfter, UserError, usage} from './runtime/errors.js';

const help = `kubectl tprof POD [options] [-- ARGS]: runs tprof-top beside the JVM of a pod

Without ARGS it lists the JVMs to choose from; as with tprof-top on a host, ARGS are options and a pid or a name:
  kubectl tprof shop-0 -- -b --duration 10 1

  -c, --container NAME   the container with the JVM (default: the pod's only one)
  -n, --namespace NAME   and --context NAME, --kubeconfig FILE: as for kubectl
      --image IMAGE      an image with tprof-top in it (default: $TPROF_IMAGE); docs/fleet.md shows how to build one
      --profile NAME     general (the default) may read the JVM; sysadmin may also use perf events, which shows where CPU
                         time goes in system calls, but makes the container privileged
      --copy-to NAME     do not touch the pod: start a copy of it, and look at that
      --keep-labels      with --copy-to: the copy keeps the pod's labels
      --dry-run          print the command instead of running it

Labels decide which Services send requests to a pod. Without --copy-to the pod itself is looked at: it stays in its
Services, and the finished container stays in its list until the pod goes. A copy has no labels, so it gets no requests;
with --keep-labels it gets its part of them, like every other pod of the Service, until it is deleted.
`;

/** RFC 1123, as for names of pods; those of containers and namespaces have no dots. */
const namePattern = /^[a-z\d](?:[-a-z\d.]{0,251}[a-z\d])?$/;

const lookUpTimeoutMs = 30_000;

/** Parses the command line; what follows `--` is for tprof-top. Throws UserError (2). */
function parse(argv: readonly string[]) {
	const end = argv.indexOf('--');
	const [own, args] = end === -1 ? [argv, []] : [argv.slice(0, end), argv.slice(end + 1)];
	try {
		const {values, positionals} = parseArgs({
			args: [...own],
			allowPositionals: true,
			options: {
				container: {type: 'string', short: 'c'},
				namespace: {type: 'string', short: 'n'},
				context: {type: 'string'},
				kubeconfig: {type: 'string'},
				image: {type: 'string', default: process.env.TPROF_IMAGE},
				profile: {type: 'string', default: 'general'},
				'copy-to': {type: 'string'},
				'keep-labels': {type: 'boolean'},
				'dry-run': {type: 'boolean'},
				help: {type: 'boolean', short: 'h'},
			},
		});
		return {values, pods: positionals, args};
	} catch (error) {
		throw usage((error as Error).message.split('\n')[0], hint);
	}
}

const hint = 'kubectl tprof --help';

type Values = ReturnType<typeof parse>['values'];

/** Throws UserError (2) if names are wrong, or options do not go together. */
function checkWords(pods: readonly string[], values: Values): void {
	if (pods.length !== 1) {
		throw usage(pods.length === 0 ? 'which pod?' : 'give one pod; put the arguments for tprof-top after --', hint);
	}

	for (const name of [pods[0], values.container, values.namespace, values['copy-to']]) {
		if (name !== undefined && !namePattern.test(name)) {
			throw usage(
				`"${name}" is not a valid Kubernetes name`,
				'names have lower-case letters, digits, "-" and "."',
			);
		}
	}

	if (!values.image) {
		throw usage('which image? Give --image, or set TPROF_IMAGE', 'docs/fleet.md shows how to build one');
	}

	if (values['keep-labels'] && values['copy-to'] === undefined) {
		throw usage(
			'--keep-labels is for --copy-to',
			'without a copy the pod itself is looked at: it keeps its labels and stays in its Services',
		);
	}
}

/** Returns the command line of kubectl; asks it which container a pod has if that is not given. */
function commandOf(pod: string, values: Values, args: readonly string[]): string[] {
	const clusterOptions = (['context', 'kubeconfig', 'namespace'] as const).flatMap(name =>
		values[name] === undefined ? [] : [`--${name}=${values[name]}`]);
	const copy = values['copy-to'];
	const where = copy === undefined
		? [`--target=${values.container ?? onlyContainer(pod, clusterOptions)}`]
		: [`--copy-to=${copy}`, '--share-processes', ...(values['keep-labels'] ? ['--keep-labels'] : [])];
	const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
	return [
		...clusterOptions,
		'debug',
		pod,
		`--image=${values.image}`,
		`--profile=${values.profile}`,
		...where,
		...(isTerminal ? ['-it'] : ['--attach', '--quiet']),
		'--',
		'tprof-top',
		...args,
	];
}

async function main(argv: readonly string[]): Promise<number> {
	const {values, pods, args} = parse(argv);
	if (values.help) {
		process.stdout.write(help);
		return 0;
	}

	checkWords(pods, values);
	const copy = values['copy-to'];
	const command = commandOf(pods[0], values, args);
	if (command.some(word => /\p{Cc}/u.test(word))) {
		throw usage('the options and ARGS must not have control characters', hint);
	}

	if (values['dry-run']) {
		process.stdout.write(`${['kubectl', ...command].map(word => quoted(word)).join(' ')}\n`);
		return 0;
	}

	if (copy !== undefined) {
		process.stderr.write(`kubectl-tprof: ${copy} ${
			values['keep-labels']
				? 'keeps the labels: Services send it requests'
				: 'has no labels: no Service sends it requests'
		}; kubectl delete pod ${copy} ends it\n`);
	}

	return runKubectl(command);
}

/** Runs kubectl, and hands it the signals that would end us. Returns its exit code; throws UserError. */
async function runKubectl(command: readonly string[]): Promise<number> {
	const child = spawn('kubectl', command, {stdio: 'inherit'});
	for (const signal of endSignals) {
		process.on(signal, () => {
			child.kill(signal);
		});
	}

	return new Promise((resolve, reject) => {
		child.once('error', error => {
			reject(kubectlProblem(error));
		});
		child.once('close', (code, signal) => {
			resolve(signal ? exitCodeAfter(signal) : code ?? 1);
		});
	});
}

/** Returns the name of a pod's container. Throws UserError unless it has exactly one. */
function onlyContainer(pod: string, clusterOptions: readonly string[]): string {
	const {status, stdout, error} = spawnSync('kubectl', [
		...clusterOptions,
		'get',
		'pod',
		pod,
		'-o',
		'jsonpath={.spec.containers[*].name}',
	], {encoding: 'utf8', timeout: lookUpTimeoutMs, stdio: ['ignore', 'pipe', 'inherit']});
	if (error) {
		throw kubectlProblem(error);
	}

	if (status !== 0) {
		throw new UserError(`kubectl does not say which containers ${pod} has`, {
			hint: 'name the one with the JVM: --container NAME',
		});
	}

	const names = stdout.trim().split(/\s+/);
	if (names.length !== 1) {
		throw new UserError(`${pod} has ${names.length} containers: ${printable(names.join(', '))}`, {
			hint: 'name the one with the JVM: --container NAME',
			exitCode: 2,
		});
	}

	return names[0];
}

function kubectlProblem(error: Error): UserError {
	return new UserError(`cannot run kubectl: ${(error as NodeJS.ErrnoException).code ?? error.message}`, {
		hint: 'it must be on the PATH',
	});
}

/** Returns a word as a POSIX shell needs it. */
function quoted(word: string): string {
	return /^[\w./:=@,+-]+$/.test(word) ? word : `'${word.replaceAll('\'', String.raw`'\''`)}'`;
}

try {
	process.exitCode = await main(process.argv.slice(2));
} catch (error) {
	if (!(error instanceof UserError)) {
		throw error;
	}

	process.stderr.write(`kubectl-tprof: ${error.message}\n  ${error.hint}\n`);
	process.exitCode = error.exitCode;
}
