import {expect, test} from 'vitest';
import {HandshakePace} from '../../../source/engines/attach/socket/handshake-pace.js';

test('a target is woken again only after a pause, and given up after three failures', () => {
	let nowMs = 0;
	const pace = new HandshakePace(() => nowMs);
	const refusedFor = () => {
		const from = nowMs;
		while (pace.refusal() && nowMs < from + 100_000) {
			nowMs += 100;
		}

		return nowMs - from;
	};

	expect(pace.refusal()).toBeUndefined();
	pace.worked();
	expect(refusedFor()).toBe(1000);
	pace.failed();
	expect(refusedFor()).toBe(15_000);
	pace.failed();
	expect(refusedFor()).toBe(30_000);
	pace.worked();
	expect(refusedFor()).toBe(1000);
	for (let failure = 0; failure < 3; failure++) {
		pace.failed();
	}

	expect(refusedFor()).toBe(100_000);
	expect(pace.refusal()).toMatch(/3 times/);
});
