import {expect, test, vi} from 'vitest';
import {startDemo} from '../../source/commands/demo.js';

test('a java that cannot be run is reported, and nothing is left that delays our end', async () => {
	vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
	await expect(startDemo('/dev/null', 'shop.jar')).rejects.toThrow('the demo program did not start');
	expect(vi.getTimerCount()).toBe(0);
});
