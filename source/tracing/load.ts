import type {AttachClient} from '../engines/attach/socket/client.js';
import {printable} from '../model/text.js';
import type {Target} from '../jvm/target.js';

type Loaded = {readonly ok: true} | {
	readonly ok: false;
	readonly reason: string;
	readonly hint: string;
	/** The JVM did not answer: it may load the agent later, or was not asked or has ended. */
	readonly unanswered?: 'pending' | 'over';
};

/** Results of JVM_OnAgentAttach of HotSpot's instrument library (InvocationAdapter.c). */
const badJar = 100;
const failedStart = 102;

/** Has the target load the agent from the folder that it sees under this path. */
export async function loadAgent(client: AttachClient, target: Target, folder: string, timeoutMs: number): Promise<Loaded> {
	const reply = await client.request('load', ['instrument', 'false', `${folder}/agent.jar=${folder}`], {timeoutMs});
	if (reply.status !== 'ok') {
		return {ok: false, reason: reply.reason, hint: reply.status === 'failed' ? reply.hint : '', unanswered: reply.status === 'failed' && reply.isPending ? 'pending' : 'over'};
	}

	return judge(target.pid, reply.code, reply.bytes.toString('utf8', 0, 2000));
}

/**
What the JVM's answer means: failures come with the code 0 too, and their own number in the text ("return code: 100", in
JDK 8 the number alone).
*/
export function judge(pid: number, code: number, text: string): Loaded {
	if (/dynamic agent loading is not enabled/i.test(text)) {
		return {ok: false, reason: `JVM ${pid} does not let agents be loaded (-XX:-EnableDynamicAgentLoading)`, hint: 'start it without that flag to trace it; sampling works as it is'};
	}

	// Of modular runtimes, and of a JDK 8 without the library.
	if (/java\.instrument not found|agent library instrument/i.test(text)) {
		return {ok: false, reason: `JVM ${pid} runs on a runtime without java.instrument: no agent can be loaded`, hint: 'add that module to its runtime (jlink --add-modules java.instrument) to trace it; sampling works as it is'};
	}

	const result = /^(?:return code: )?(-?\d+)\s*$/.exec(text.trim())?.[1];
	if (code === 0 && Number(result) === 0) {
		return {ok: true};
	}

	switch (Number(result)) {
		case badJar: {
			return {ok: false, reason: `JVM ${pid} cannot read the agent in its /tmp`, hint: 'its user must be able to read files in /tmp, and no security module may forbid it'};
		}

		case failedStart: {
			return {ok: false, reason: `the agent did not start in JVM ${pid}`, hint: 'its standard error says why'};
		}

		default: {
			return {ok: false, reason: `JVM ${pid} did not load the agent: ${printable(text.trim().split('\n')[0] ?? '') || `code ${code}`}`, hint: 'its standard error may say why'};
		}
	}
}
