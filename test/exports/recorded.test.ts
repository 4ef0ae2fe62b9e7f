import fs from 'node:fs';
import {expect, test} from 'vitest';
import {readPprof} from '../../source/exports/pprof/read.js';
import {json} from '../../source/exports/formats/json.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {canonical} from './canonical.js';
import {whole} from './parse.js';

/** Ten seconds of demo/shop.jar on JDK 17, saved by version 0.1.0: files that were saved once must open for good. */
const bytes = () => fs.readFileSync(new URL('../fixtures/exports/shop-jdk17.pb.gz', import.meta.url));

test('a file saved from a real JVM opens whole: every tick of the session, lines, threads, states, holders of locks', () => {
	const snapshot = readPprof(bytes());
	const {facts, threads, contention, session, target} = canonical(snapshot);
	const ticks = facts.reduce((sum, fact) => sum + fact.ticks, 0);
	expect(target).toMatchObject({command: 'shop.jar', jvmVersion: '17.0.15'});
	expect(session).toMatchObject({engine: 'attach', samples: 51});
	expect(ticks).toBe(session.threadSamples);
	expect(threads.map(({name}) => name)).toEqual(expect.arrayContaining(['main', 'pricing-1', 'search-1', 'checkout-1', 'VM Thread', 'C2 CompilerThread0']));
	expect(new Set(contention.map(({lockClass}) => lockClass))).toContain('demo.Ledger');
	const {lines} = JSON.parse(String(whole(json.write(snapshot, undefined, {query: defaultQuery, version: '0.1.0'})))) as {lines: Array<{class: string; method: string; states: {BLOCKED: number}}>};
	expect(lines[0].class).toBe('demo.Pricing');
	expect(lines.find(({states}) => states.BLOCKED > 0)).toMatchObject({class: 'demo.Ledger', method: 'post'});
});
