import {readFileSync} from 'node:fs';

/** How often it is asked, milliseconds: the kernel counts in ticks of 10 ms. */
const askAgainMs = 1000;

/** Where a line "cpu0 ..." of /proc/stat has the time with nothing to do, and with disks to wait for (proc(5)). */
const idleFields = [3, 4];

/** How much some CPUs have to do. */
export class IdleCpus {
	readonly #cpus: ReadonlySet<string>;
	readonly #read: () => string;
	#last = new Map<string, {readonly idle: number; readonly all: number}>();
	#dueMs = Number.NEGATIVE_INFINITY;
	#chance = 0;

	/** `read`: /proc/stat; it may throw. */
	constructor(cpus: readonly number[], read = () => readFileSync('/proc/stat', 'latin1')) {
		this.#cpus = new Set(cpus.map(cpu => `cpu${cpu}`));
		this.#read = read;
	}

	/**
	How likely it is that at least one of them has nothing to do, as if each were idle by itself: of the last second or
	two; 0 before that, and where the kernel does not say.
	*/
	chance(nowMs: number): number {
		if (nowMs >= this.#dueMs) {
			this.#dueMs = nowMs + askAgainMs;
			this.#ask();
		}

		return this.#chance;
	}

	#ask(): void {
		const times = new Map<string, {idle: number; all: number}>();
		let allBusy = 1;
		try {
			for (const line of this.#read().split('\n')) {
				const [cpu, ...ticks] = line.split(/\s+/);
				if (this.#cpus.has(cpu)) {
					const all = ticks.reduce((sum, count) => sum + Number(count), 0);
					const idle = idleFields.reduce((sum, field) => sum + Number(ticks[field]), 0);
					const last = this.#last.get(cpu) ?? {idle, all};
					times.set(cpu, {idle, all});
					allBusy *= all > last.all ? 1 - ((idle - last.idle) / (all - last.all)) : 1;
				}
			}
		} catch {
			// Closed to us, as in some containers: nothing is known then.
		}

		this.#last = times;
		this.#chance = Math.min(1, Math.max(0, 1 - allBusy)) || 0;
	}
}
