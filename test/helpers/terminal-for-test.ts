import {onTestFinished} from 'vitest';
import {TerminalSession} from './terminal.js';

/** A program in a pseudo-terminal, closed with the test. */
export function terminalForTest(...how: ConstructorParameters<typeof TerminalSession>): TerminalSession {
	const session = new TerminalSession(...how);
	onTestFinished(() => {
		session.close();
	});
	return session;
}
