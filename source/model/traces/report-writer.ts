import {actionKinds, bucketCount, type RefusedName, type TraceReport, type WholeTrace} from './report.js';
import {phases, savedFormat} from './report-bytes.js';

/** A report as bytes for a file, which `parseReport` reads back. */
export function writeReport(report: TraceReport): Uint8Array {
	const to = new Bytes();
	to.numbers(savedFormat, phases.indexOf(report.phase) + 1, report.command, report.startedAtMs, report.elapsedNs);
	const {survey, methods, active, slowest} = report;
	to.numbers(survey.classes, survey.methods);
	to.list(survey.names, name => {
		to.text(name);
	});
	writeRefusals(to, survey.refused);
	to.list(survey.unmatched, ({pattern, nearest}) => {
		to.text(pattern);
		to.list(nearest, name => {
			to.text(name);
		});
	});
	to.numbers(report.wovenClasses, report.wovenMethods);
	writeRefusals(to, report.refused);
	to.numbers(report.lostCalls, report.traces, report.threads);
	to.list(methods, ({className, method, parameters, isLetGo, oneIn}) => {
		to.text(className);
		to.text(method);
		to.text(parameters);
		to.numbers(isLetGo ? 1 : 0, oneIn ?? 1);
	});
	writeNodes(to, report);
	to.numbers(report.activeCount);
	to.list(active, ({thread, method, ageNs, depth}) => {
		to.text(thread);
		to.numbers(method, ageNs, depth);
	});
	to.list(slowest, trace => {
		writeTrace(to, trace);
	});
	return to.taken();
}

function writeRefusals(to: Bytes, refused: readonly RefusedName[]): void {
	to.list(refused, ({name, reason}) => {
		to.text(name);
		to.text(reason);
	});
}

function writeNodes(to: Bytes, {nodes}: TraceReport): void {
	to.numbers(nodes.count - 1);
	for (let node = 1; node < nodes.count; node++) {
		to.numbers(nodes.parent[node], nodes.method[node], nodes.calls[node], nodes.exceptions[node], nodes.cumulativeNs[node], nodes.ownNs[node], nodes.leastNs[node], nodes.mostNs[node]);
		const filled = [...nodes.buckets.subarray(node * bucketCount, (node + 1) * bucketCount).entries()].filter(([, calls]) => calls > 0);
		to.list(filled, ([bucket, calls]) => {
			to.numbers(bucket, calls);
		});
	}
}

function writeTrace(to: Bytes, {key, startedAtMs, thread, durationNs, left, actions}: WholeTrace): void {
	to.numbers(startedAtMs, Number(key.slice(key.indexOf('-') + 1)));
	to.text(thread);
	to.numbers(durationNs, left);
	let lastNs = 0;
	to.list(actions, ({kind, method, atNs}) => {
		to.numbers((method * 4) + actionKinds.indexOf(kind), atNs - lastNs);
		lastNs = atNs;
	});
}

/** Numbers of seven bits a byte, the lowest first, and texts with their length. */
class Bytes {
	readonly #encoder = new TextEncoder();
	#bytes = new Uint8Array(4096);
	#length = 0;

	numbers(...values: readonly number[]): void {
		this.#room(values.length * 10);
		for (const value of values) {
			let rest = Math.max(0, Math.round(value));
			for (; rest > 127; rest = Math.floor(rest / 128)) {
				this.#bytes[this.#length++] = (rest % 128) + 128;
			}

			this.#bytes[this.#length++] = rest;
		}
	}

	text(value: string): void {
		const bytes = this.#encoder.encode(value);
		this.numbers(bytes.length);
		this.#room(bytes.length);
		this.#bytes.set(bytes, this.#length);
		this.#length += bytes.length;
	}

	list<Item>(items: readonly Item[], write: (item: Item) => void): void {
		this.numbers(items.length);
		for (const item of items) {
			write(item);
		}
	}

	taken(): Uint8Array {
		return this.#bytes.subarray(0, this.#length);
	}

	#room(count: number): void {
		if (this.#length + count > this.#bytes.length) {
			const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
			larger.set(this.#bytes);
			this.#bytes = larger;
		}
	}
}
