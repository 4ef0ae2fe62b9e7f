import {printable, safe, type Printable} from '../../util/printable.js';
import {readTextBelowRoot} from '../system/below-root.js';
import {attempt, readProc, readProcStrings} from '../system/proc.js';
import {readJavaCommand} from './java-command.js';

/** What a JVM's environment and command line say, as far as we may read them. Raw text: not yet printable. */
export class Settings {
	readonly #environment: ReadonlyMap<string, string>;
	readonly #properties: ReadonlyMap<string, string>;
	readonly #arguments: ReadonlyMap<string, string>;

	constructor(pid: number) {
		this.#environment = pairsOf(readProcStrings(pid, 'environ'));
		const {vmArgs, args} = readJavaCommand(pid);
		// In HotSpot's order, in which the last one counts (arguments.cpp).
		const words = (name: string) => this.variable(name).split(/\s+/);
		const options = [
			...words('JAVA_TOOL_OPTIONS'),
			...words('JDK_JAVA_OPTIONS'),
			...vmArgs,
			...words('_JAVA_OPTIONS'),
		];
		this.#properties = pairsOf(withoutPrefix(options, '-D'));
		this.#arguments = pairsOf(withoutPrefix(args, '--'));
	}

	/** Returns an environment variable, or an empty text. */
	variable(name: string): string {
		return this.#environment.get(name) ?? '';
	}

	/** Returns a system property of the command line, or an empty text. */
	property(name: string): string {
		return this.#properties.get(name) ?? '';
	}

	/** Returns an argument of the program that is `--name=value`, or an empty text. */
	argument(name: string): string {
		return this.#arguments.get(name) ?? '';
	}
}

/** Returns the rest of the texts that begin with a prefix. */
function withoutPrefix(texts: readonly string[], prefix: string): string[] {
	return texts.filter(text => text.startsWith(prefix)).map(text => text.slice(prefix.length));
}

/** Returns texts of the form `name=value` by their names; of several with the same name, the last. */
function pairsOf(texts: readonly string[]): Map<string, string> {
	const pairs = texts.filter(text => text.includes('='));
	return new Map(pairs.map(text => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]));
}

/** What is known about the service that a JVM is part of, by the names of labels. All texts are printable. */
type ServiceLabels = Readonly<Partial<Record<'service_name' | 'namespace' | 'pod' | 'container', Printable>>>;

/** Where Kubernetes mounts a pod's namespace. */
const namespaceFile = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
const maxLabelLength = 200;

/**
Returns the name of a JVM's service, as OpenTelemetry's agent and Spring Boot find it, and its pod and container, from
its environment, its pod's files and its control group.
*/
export function serviceLabels(pid: number, settings = new Settings(pid)): ServiceLabels {
	const ofAgent = settings.property('otel.resource.attributes') || settings.variable('OTEL_RESOURCE_ATTRIBUTES');
	const resource = pairsOf(ofAgent.split(',').map(pair => pair.trim()));
	const isInPod = settings.variable('KUBERNETES_SERVICE_HOST') !== '';
	const found = {
		service_name: [
			settings.property('otel.service.name'),
			settings.variable('OTEL_SERVICE_NAME'),
			resource.get('service.name'),
			settings.argument('spring.application.name'),
			settings.property('spring.application.name'),
			settings.variable('SPRING_APPLICATION_NAME'),
		],
		namespace: [
			resource.get('k8s.namespace.name'),
			settings.variable('POD_NAMESPACE'),
			settings.variable('K8S_NAMESPACE'),
			isInPod ? attempt(() => readTextBelowRoot(pid, namespaceFile, maxLabelLength), '') : '',
		],
		pod: [
			resource.get('k8s.pod.name'),
			settings.variable('POD_NAME'),
			settings.variable('K8S_POD_NAME'),
			isInPod ? settings.variable('HOSTNAME') : '',
		],
		container: [
			resource.get('k8s.container.name'),
			settings.variable('CONTAINER_NAME'),
			containerIn(readProc(pid, 'cgroup') ?? ''),
		],
	};
	const textOf = (candidates: ReadonlyArray<string | undefined>) => labelText(candidates.find(Boolean) ?? '');
	const texts = Object.entries(found).map(([label, candidates]) => ({label, text: textOf(candidates)}));
	return Object.fromEntries(texts.filter(({text}) => text !== '').map(({label, text}) => [label, text]));
}

/** Returns the name of a JVM's pod, or else of its container; empty if it is in none that is known. */
export function containerName(pid: number): Printable {
	const {pod, container} = serviceLabels(pid);
	return pod ?? container ?? safe``;
}

/** Returns a text of the target as the value of a label. */
export function labelText(text: string): Printable {
	return printable(text.trim(), maxLabelLength);
}

/**
Returns the first twelve digits of a container's id, as docker ps and crictl show them, from /proc/PID/cgroup; empty
without a container.
*/
export function containerIn(cgroups: string): string {
	return /(?:^|[/:-])([\da-f]{12})[\da-f]{52}(?:\.scope)?$/m.exec(cgroups)?.[1] ?? '';
}
