import {placeName} from '../facts/place.js';
import type {Deadlock, DeadlockedThread} from '../types.js';

/** Threads of a circle that are named; the others are in the Blockers view and in JSON. */
const maxNamed = 12;

/** Who waits for whom, for a line of the screen: `stuck-1 -> stuck-2 -> stuck-1`. */
export function circleText(deadlock: Deadlock): string {
	const names = deadlock.slice(0, maxNamed).map(({name}) => name);
	const more = deadlock.length > maxNamed ? [`${deadlock.length - maxNamed} more`] : [];
	return [...names, ...more, deadlock[0].name].join(' -> ');
}

/** The whole of it in a sentence: who waits where for what, and who has it. */
export function deadlockText(deadlock: Deadlock): string {
	const waits = deadlock.slice(0, maxNamed).map((member, index) => waitText(member, deadlock[(index + 1) % deadlock.length]));
	const more = deadlock.length > maxNamed ? [`and ${deadlock.length - maxNamed} more threads`] : [];
	return `deadlock of ${deadlock.length} ${deadlock.length === 1 ? 'thread' : 'threads'}: ${[...waits, ...more].join('; ')}`;
}

function waitText({name, lockClass, at, ownerTookAt}: DeadlockedThread, owner: DeadlockedThread): string {
	const where = at ? ` at ${placeName(at)}` : '';
	const lock = lockClass === '' ? 'a lock' : lockClass;
	const taken = ownerTookAt ? ` (taken at ${placeName(ownerTookAt)})` : '';
	return `${name} waits${where} for ${lock} held by ${owner.name}${taken}`;
}
