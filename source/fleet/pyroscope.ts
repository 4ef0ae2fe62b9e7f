import {randomUUID} from 'node:crypto';
import {encodeProfile, windowProfiles} from '../exports/pprof/window-profiles.js';
import type {Protocol} from './sender.js';

/**
Pyroscope's push API (Connect with JSON, push/v1/push.proto): CPU time and, by thread state, thread time, each as pprof
with one value.
*/
export const pyroscope: Protocol = {
	headers: {'content-type': 'application/json'},
	urlOf(backend) {
		const url = new URL(backend);
		url.pathname = `${url.pathname.replace(/\/+$/, '')}/push.v1.PusherService/Push`;
		return url;
	},
	encode(window, labels) {
		const series = windowProfiles(window).map(profile => {
			const named = {...labels, ...(profile.state ? {state: profile.state} : {}), __name__: profile.name};
			return {
				labels: Object.entries(named).map(([name, value]) => ({name: name.replaceAll('.', '_'), value})),
				samples: [{ID: randomUUID(), rawProfile: Buffer.from(encodeProfile(profile, window.session)).toString('base64')}],
			};
		});
		return Buffer.from(JSON.stringify({series}));
	},
	problemIn: () => undefined,
};
