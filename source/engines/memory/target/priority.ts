/** System calls on x86-64 (sched_setattr(2)); glibc wraps them only since 2.41. */
const setAttributes = 314;
const getAttributes = 315;

/** Size and field offsets of struct sched_attr, first version (include/uapi/linux/sched/types.h). */
const attributesBytes = 48;
const at = {size: 0, policy: 4, priority: 20} as const;

/** Real-time scheduling policies, which preempt all ordinary threads (sched(7)). */
const policy = {FIFO: 1, RR: 2, DEADLINE: 6} as const;

/** Temporarily gives the calling thread priority over all ordinary ones. */
export type Priority = {
	/** False if not permitted (CAP_SYS_NICE, or RLIMIT_RTPRIO). */
	raise(): boolean;
	/** Restores the priority from before `raise`. */
	restore(): void;
};

/** `syscall`: syscall(2), returning 0 on success. */
export function priorityBy(syscall: (number: number, thread: number, attributes: Uint8Array, sizeOrFlags: number, flags: number) => number): Priority {
	const own = new Uint8Array(attributesBytes);
	const raised = new Uint8Array(attributesBytes);
	const view = new DataView(raised.buffer);
	view.setUint32(at.size, attributesBytes, true);
	view.setUint32(at.policy, policy.RR, true);
	view.setUint32(at.priority, 1, true);
	let isRaised = false;
	let isForbidden = false;
	return {
		raise() {
			if (isRaised || isForbidden) {
				return isRaised;
			}

			// Read each time, since it may have been changed (renice), perhaps to a real-time policy.
			isForbidden = syscall(getAttributes, 0, own, attributesBytes, 0) !== 0;
			const ownPolicy = new DataView(own.buffer).getUint32(at.policy, true);
			if (isForbidden || Object.values<number>(policy).includes(ownPolicy)) {
				return !isForbidden;
			}

			isRaised = syscall(setAttributes, 0, raised, 0, 0) === 0;
			isForbidden = !isRaised;
			return isRaised;
		},
		restore() {
			if (isRaised) {
				syscall(setAttributes, 0, own, 0, 0);
				isRaised = false;
			}
		},
	};
}
