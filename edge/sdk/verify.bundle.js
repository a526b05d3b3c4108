/*!
 * The website verifier: judges which agent sent a request, without asking the hub for each one. It imports nothing and
 * runs as it is in Node, Deno, Workers and browsers; copy it beside your code. How to use it: /docs/verify of the hub.
 *
 * Generated from edge/sdk/verify.ts by `npm run contracts`: change that one, not this.
 */
// schemas/identity/reasons.ts
/** The verdicts about a request that claims an identity (spec 4.7). Pure, so that websites' verifiers say the same. */
/** All reasons of a verdict, in the order of the checks. */
const VERIFY_REASONS = [
	"headers_missing",
	"announced_only",
	"headers_incomplete",
	"id_malformed",
	"id_unknown",
	"agent_retired",
	"timestamp_invalid",
	"timestamp_expired",
	"nonce_invalid",
	"bad_signature",
	"key_retired",
	"agent_suspended",
	"agent_banned",
	"replayed"
];
/**
* Reasons that only a website's own verifier gives: the service cannot be reached, a part of the website fails, or the
* chosen mode cannot judge this kind of proof.
*/
const CLIENT_REASONS = [
	"hub_unreachable",
	"lookup_limited",
	"cache_unavailable",
	"scheme_not_supported"
];

// schemas/signing/identity.ts
/**
* The string that an agent signs to prove itself to a website (spec 5.3), and the notation of its number (spec 2.1).
* Pure.
*/
const IDENTITY_SCHEME = "HUB-ID-V1";
const identityString = ({ method, host, path, timestamp, nonce }) => `${IDENTITY_SCHEME}\n${method.toUpperCase()}\n${host}\n${path}\n${timestamp}\n${nonce}`;
const NUMBER_DIGITS_MIN = 6;
/** The most digits that a JavaScript integer represents exactly. */
const NUMBER_DIGITS_MAX = 15;
/** The canonical form: upper case, and zero-padded to 6 digits. */
const AGENT_NUMBER_PATTERN = /^HX-(?:[0-9]{6}|[1-9][0-9]{6,14})$/;
const agentNumber = (number) => `HX-${String(number).padStart(NUMBER_DIGITS_MIN, "0")}`;
/** The number of a canonical agent number; `null` for any other text. */
const parseAgentNumber = (text) => AGENT_NUMBER_PATTERN.test(text) ? Number(text.slice(3)) : null;
/** spec 5.3: recognised anywhere in a User-Agent, in any letter case. */
const ANNOUNCEMENT = /\bHubAgent\/[^\s()/]+ \((HX-[0-9]{6,15}); \+[^\s()]+\)/i;
/** Only this many characters of a User-Agent are searched. */
const USER_AGENT_MAX = 4096;
/** The canonical number that a User-Agent announces, or `null`. */
const announcedNumber = (userAgent) => {
	const digits = ANNOUNCEMENT.exec(userAgent.slice(0, USER_AGENT_MAX))?.[1]?.slice(3);
	if (digits === void 0 || digits.length > NUMBER_DIGITS_MAX) return null;
	return agentNumber(Number(digits));
};

// schemas/signing/request.ts
/** 9 to 11 digits, as the identity headers have it (spec 4.7). */
const TIMESTAMP_PATTERN = /^[0-9]{9,11}$/;
/** spec 5.1: 8 to 128 of the nonce alphabet. */
const NONCE_PATTERN = /^[A-Za-z0-9_\-=.:+/]{8,128}$/;
/**
* The host line (contract 0): lower case, A-label, no trailing dot, no `:443` or `:80`, any other port kept. `null` if
* the text is not a host name.
*/
const normaliseHost = (host) => {
	let url;
	try {
		url = new URL(`http://${host}`);
	} catch {
		return null;
	}
	if (url.username !== "" || url.password !== "" || url.pathname !== "/" || url.search !== "" || url.hash !== "") return null;
	const name = url.hostname.endsWith(".") ? url.hostname.slice(0, -1) : url.hostname;
	if (name === "") return null;
	return url.port === "" || url.port === "443" ? name : `${name}:${url.port}`;
};

// edge/sdk/verify/bounds.ts
/**
* Every limit that is not an option.
*
* Invariants
*  - Everything that grows has a bound: bytes, agents, keys, nonces, records, waiting checks, and the time of each
*    wait.
*/
/** The first eight are set by the protocol. */
const BOUNDS = {
	windowSeconds: 300,
	nonceMemorySeconds: 600,
	attemptIntervalSeconds: 60,
	directoryMaxAgeSeconds: 300,
	lookupsPerMinute: 30,
	recordMaxAgeSeconds: 300,
	timestampDigitsMax: 11,
	numberDigitsMax: NUMBER_DIGITS_MAX,
	hosts: 8,
	retiredKeysPerAgent: 15,
	/** From this age on the directory is renewed in the background, so that no check has to wait for it. */
	renewAheadSeconds: 240,
	retryAfterMaxSeconds: 3600,
	/**
	* The most answers with changes that are read before the whole directory is read again. The whole is also read if
	* more agents than `changedAgents` have changed since, or if it is a day old.
	*/
	changesPages: 12,
	changedAgents: 2e4,
	wholeReadSeconds: 86400,
	/** A number unknown to the hub is looked up again after this long. */
	unknownRecordMaxAgeSeconds: 60,
	records: 1e3,
	recordBytes: 1048576,
	verdictBytes: 65536,
	waitingChecks: 1e3,
	targetChars: 65536,
	methodChars: 64,
	userAgentChars: USER_AGENT_MAX,
	etagChars: 256,
	urlChars: 2048,
	nameChars: 400,
	jsonDepth: 32,
	clockToleranceMs: 2e3,
	/** An answer that took longer is not used to set the clock. */
	clockRoundTripMs: 4e3,
	/** Seconds by which a directory may be older than the current one: the time for which a shared cache may keep it. */
	rollbackSeconds: 300,
	/** The largest share of the memory for nonces that one agent may use. */
	nonceShare: 1 / 8
};

// edge/sdk/verify/verdict.ts
/** The verdict on a request, with one reason. All modes of the verifier answer in this form. */
const MESSAGES = {
	headers_missing: "The request has no Hub-* headers and no User-Agent that announces an agent.",
	announced_only: "The User-Agent announces an agent, and nothing proves it.",
	headers_incomplete: "A proof has four headers: Hub-Id, Hub-Timestamp, Hub-Nonce and Hub-Signature.",
	id_malformed: "Hub-Id must be HX- and at least 6 digits, zero-padded to 6 and no further.",
	id_unknown: "No agent has this number, or it is too new: try again in a minute.",
	agent_retired: "The agent's owner has deleted the account.",
	timestamp_invalid: "Hub-Timestamp must be unix seconds, 9 to 11 digits; one of 13 counts milliseconds.",
	timestamp_expired: `Hub-Timestamp lies more than ${BOUNDS.windowSeconds} seconds from the clock.`,
	nonce_invalid: "Hub-Nonce must be 8 to 128 characters of A-Z a-z 0-9 _ - = . : + /",
	bad_signature: "Hub-Signature does not verify for this method, host and path by any key of the agent.",
	key_retired: "The signature was made with a key that the agent has replaced.",
	agent_suspended: "The signature is genuine; the agent is suspended.",
	agent_banned: "The signature is genuine; the agent is banned.",
	replayed: "This nonce of the agent was already verified.",
	hub_unreachable: "The hub could not be read, so nothing can be said about the agent.",
	lookup_limited: "The limit of single lookups is reached, so nothing can be said about the agent now.",
	scheme_not_supported: "Signatures of Web Bot Auth are judged in the mode `online` alone.",
	cache_unavailable: "The memory of nonces cannot take another, so a replay could not be told from a first request."
};
const NO_AGENT = {
	handle: null,
	name: null,
	trust: null,
	reputation: null,
	status: null,
	moderation: null,
	profile_url: null,
	id_url: null
};
const ANNOUNCED = { announced: true };
const GENUINE = { signature_ok: true };
const refuse = (reason, id = null, agent = NO_AGENT, extras) => ({
	valid: false,
	reason,
	scheme: "hub-id",
	id,
	...agent,
	message: MESSAGES[reason],
	...extras
});
/** The verdict on a Web Bot Auth signature in a mode that cannot verify it. */
const notSupported = {
	...refuse("scheme_not_supported"),
	scheme: "web-bot-auth"
};
/**
* The HTTP status for a verdict: 200 if the request is valid, 403 if the agent is retired, suspended or banned, and 503
* if the request could not be checked. For all other reasons it is 401.
*/
const statusOf = ({ reason }) => {
	if (reason === null) return 200;
	if (reason === "scheme_not_supported") return 401;
	if (CLIENT_REASONS.includes(reason)) return 503;
	return reason === "agent_retired" || reason === "agent_suspended" || reason === "agent_banned" ? 403 : 401;
};

// edge/sdk/verify/adapters.ts
const refusalBody = ({ reason, message }) => JSON.stringify({
	error: reason,
	message
});
const refusalResponse = (verdict) => new Response(refusalBody(verdict), {
	status: statusOf(verdict),
	headers: {
		"content-type": "application/json",
		"cache-control": "no-store"
	}
});
const judged = /* @__PURE__ */ new WeakMap();
/**
* Middleware may be called twice for one request. A second check would find the request's own nonce and report a
* replay.
*/
const judgedOnce = (verifier, request, check) => {
	const known = judged.get(request) ?? /* @__PURE__ */ new WeakMap();
	judged.set(request, known);
	const verdict = known.get(verifier) ?? check();
	known.set(verifier, verdict);
	return verdict;
};
/**
* For handlers of Fetch requests (Workers, Deno, Bun). The handler gets the verdict as an argument after the request.
*/
const fetchHandler = (verifier, handler, options = {}) => async (request, ...rest) => {
	const verdict = await verifier.check(request);
	rest[1]?.waitUntil?.(verifier.settled());
	return options.require === true && !verdict.valid ? refusalResponse(verdict) : handler(request, verdict, ...rest);
};
/** Middleware for Express: the verdict becomes `req.hubAgent`. */
const express = (verifier, options = {}) => (request, response, next) => {
	const { method, originalUrl: path, headers } = request;
	judgedOnce(verifier, request, () => verifier.check({
		method,
		path,
		headers
	})).then((verdict) => {
		request.hubAgent = verdict;
		if (options.require !== true || verdict.valid) return next();
		response.status(statusOf(verdict)).type("application/json").send(refusalBody(verdict));
	}, next);
};
/** Middleware for Hono: the verdict is `c.get("hubAgent")`. */
const hono = (verifier, options = {}) => async (context, next) => {
	const verdict = await judgedOnce(verifier, context.req.raw, () => verifier.check(context.req.raw));
	context.set("hubAgent", verdict);
	if (options.require === true && !verdict.valid) return refusalResponse(verdict);
	await next();
};

// edge/sdk/verify/clock.ts
/** Estimates the hub's clock from its answers. */
/** Timestamps are judged by this estimate. With `clock: "own"`, it is the verifier's own clock. */
var HubClock = class {
	aheadMs = 0;
	settings;
	constructor(settings) {
		this.settings = settings;
	}
	seconds() {
		return Math.floor((this.settings.now() + this.aheadMs) / 1e3);
	}
	/** An answer from a shared cache (`Age`) has an old time, so it is ignored. */
	learn(response, asked) {
		const now = this.settings.now();
		const text = response.headers.get("x-hub-server-time") ?? "";
		if (this.settings.clock === "own" || now - asked > BOUNDS.clockRoundTripMs || now < asked) return;
		if (!TIMESTAMP_PATTERN.test(text) || (response.headers.get("age") ?? "0") !== "0") return;
		const ahead = Number(text) * 1e3 + 500 - (asked + now) / 2;
		this.aheadMs = Math.abs(ahead) > BOUNDS.clockToleranceMs ? Math.round(ahead) : 0;
	}
};

// schemas/version.ts
/** The version of the service, and the prefix of its interface. */
const API_PREFIX = "/api/v1";

// edge/sdk/verify/answer.ts
/** Reads a body in parts up to a limit. Reading stops if the body is longer. */
const drain = async (response, maxBytes, take, signal) => {
	const declared = Number(response.headers.get("content-length") ?? "0");
	const reader = response.body?.getReader();
	if (reader === void 0) throw new Error("the answer has no body");
	let bytes = 0;
	try {
		if (declared > maxBytes) throw new Error("the answer is too large");
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			if (signal.aborted) throw new Error("the time is over");
			bytes += value?.length ?? 0;
			if (bytes > maxBytes) throw new Error("the answer is too large");
			if (value !== void 0) take(value);
		}
	} catch (cause) {
		reader.cancel().catch(() => void 0);
		throw cause;
	}
};
const discard = (response) => {
	response.body?.cancel?.().catch(() => void 0);
};
const readJson = async (response, maxBytes, signal) => {
	const decoder = new TextDecoder("utf-8", { fatal: true });
	let text = "";
	await drain(response, maxBytes, (chunk) => {
		text += decoder.decode(chunk, { stream: true });
	}, signal);
	return JSON.parse(text + decoder.decode());
};

// schemas/signing/ed25519.ts
/** The sizes of Ed25519 keys and signatures (RFC 8032), and the DER prefix of public keys (RFC 8410). Pure. */
const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** The bytes before the raw key in SubjectPublicKeyInfo. */
const SPKI_PREFIX = /* @__PURE__ */ Uint8Array.of(48, 42, 48, 5, 6, 3, 43, 101, 112, 3, 33, 0);

// edge/sdk/verify/base64.ts
/**
* Decodes base64 into an existing array, with functions that every runtime has. A directory contains a key for each
* agent, so no object is made for a key.
*/
/** The value of each character code in either base64 alphabet; 255 for other characters. */
const SEXTETS = /* @__PURE__ */ (() => {
	const table = (/* @__PURE__ */ new Uint8Array(128)).fill(255);
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	for (let value = 0; value < 62; value++) table[letters.charCodeAt(value)] = value;
	for (const [letter, value] of [
		["+", 62],
		["-", 62],
		["/", 63],
		["_", 63]
	]) table[letter.charCodeAt(0)] = value;
	return table;
})();
/**
* Decodes base64 in either alphabet, with or without padding, if it has exactly as many bytes as `into`. Returns
* `false` otherwise. Bits beyond the last byte must be zero, so that a value has only one form in each alphabet.
*/
const decodeBase64 = (codes, length, into) => {
	let end = length;
	while (end > 0 && length - end < 2 && codes[end - 1] === 61) end--;
	if (end !== Math.ceil(into.length * 4 / 3)) return false;
	let bits = 0;
	let held = 0;
	let at = 0;
	for (let index = 0; index < end; index++) {
		const value = SEXTETS[codes[index]];
		if (value === void 0 || value === 255) return false;
		held = held << 6 | value;
		bits += 6;
		if (bits < 8) continue;
		bits -= 8;
		into[at++] = held >>> bits & 255;
		held &= (1 << bits) - 1;
	}
	return held === 0;
};
/** The length of a signature in base64 with padding. */
const SIGNATURE_CHARS_MAX = Math.ceil(SIGNATURE_BYTES / 3) * 4;
/** Shared by all calls: it is filled and read without waiting in between. */
const CODES = new Uint8Array(SIGNATURE_CHARS_MAX);
const decodeInto = (text, into) => {
	if (text.length > CODES.length) return false;
	for (let index = 0; index < text.length; index++) CODES[index] = Math.min(text.charCodeAt(index), 255);
	return decodeBase64(CODES, text.length, into);
};
const decodeText = (text, bytes) => {
	const into = new Uint8Array(bytes);
	return decodeInto(text, into) ? into : null;
};

// edge/sdk/verify/bytes.ts
/** Compares ASCII text in bytes, without making strings. */
const latin = (bytes, from, to) => {
	let text = "";
	for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]);
	return text;
};
const ascii = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
/** True if both are the same up to `length`. The second one is compared from `from` on. */
const sameUpTo = (one, length, other, from = 0) => {
	for (let at = 0; at < length; at++) if (one[at] !== other[from + at]) return false;
	return true;
};
/** The place of a name in a list, or -1. */
const indexOfName = (names, bytes, length) => {
	for (let index = 0; index < names.length; index++) {
		const name = names[index];
		if (name.length === length && sameUpTo(name, length, bytes)) return index;
	}
	return -1;
};
const names = (...list) => list.map(ascii);

// edge/sdk/verify/identity.ts
const NO_KEYS = () => [];
const STATUSES = [
	"active",
	"flagged",
	"retired"
];
const MODERATIONS = [
	null,
	"suspended",
	"banned"
];
/** Matches the handles of verdicts. The hub's own rule for new handles is narrower. */
const HANDLE = /^[A-Za-z0-9_-]{1,32}$/;

// edge/sdk/verify/malformed.ts
/** The reason why a directory is refused. */
const malformed = (what) => /* @__PURE__ */ new Error(`malformed directory: ${what}`);

// edge/sdk/verify/agent-entry.ts
/**
* The agent that is being read from a directory. One object is used for all agents in turn, so that no garbage has to
* be collected.
*/
const URL_SCHEMES = names("https://", "http://");
var AgentEntry = class {
	number = 0;
	numberText = new Uint8Array(BOUNDS.numberDigitsMax + 3);
	numberLength = 0;
	key = new Uint8Array(PUBLIC_KEY_BYTES);
	hasKey = false;
	handle = /* @__PURE__ */ new Uint8Array(32);
	handleLength = 0;
	/** Indexes into the lists of possible values. */
	status = 0;
	moderation = 0;
	trust = 0;
	reputation = 0;
	/** The addresses of the profile and of the identity. A length of -1 means that there is none. */
	urls = [new Uint8Array(BOUNDS.urlChars), new Uint8Array(BOUNDS.urlChars)];
	urlLengths = [-1, -1];
	/** Only the first `retiredKept` elements belong to this agent. */
	retiredKeys = [];
	retiredKept = 0;
	begin(number, bytes, length) {
		this.number = number;
		for (let at = 0; at < length; at++) this.numberText[at] = bytes[at];
		this.numberLength = length;
		this.hasKey = false;
		this.handleLength = 0;
		this.moderation = 0;
		this.urlLengths[0] = -1;
		this.urlLengths[1] = -1;
		this.retiredKept = 0;
	}
	checkId(bytes, length) {
		if (length !== this.numberLength || !sameUpTo(this.numberText, length, bytes)) throw malformed("an agent's id is not its number");
	}
	readKey(bytes, length) {
		if (!decodeBase64(bytes, length, this.key)) throw malformed("a key is none");
		this.hasKey = true;
	}
	readHandle(bytes, length) {
		if (length > this.handle.length || !HANDLE.test(latin(bytes, 0, length))) throw malformed("a handle is none");
		for (let at = 0; at < length; at++) this.handle[at] = bytes[at];
		this.handleLength = length;
	}
	/** Websites may show the address as a link, so only http and https addresses with valid characters are accepted. */
	readUrl(which, bytes, length) {
		if (!startsAsUrl(bytes, length)) throw malformed("an address is none");
		const into = this.urls[which];
		for (let at = 0; at < length; at++) {
			if (bytes[at] < 33) throw malformed("an address is none");
			into[at] = bytes[at];
		}
		this.urlLengths[which] = length;
	}
	/** Keeps the newest retired keys of an agent. A signature with an older one gets the reason `bad_signature`. */
	keepRetired(key, retiredAt) {
		let at = this.retiredKept;
		if (at < BOUNDS.retiredKeysPerAgent) this.retiredKept++;
		else {
			at = 0;
			for (let index = 1; index < BOUNDS.retiredKeysPerAgent; index++) if (this.retiredKeys[index].at < this.retiredKeys[at].at) at = index;
			if (this.retiredKeys[at].at >= retiredAt) return;
		}
		const kept = this.retiredKeys[at] ??= {
			bytes: new Uint8Array(PUBLIC_KEY_BYTES),
			at: 0
		};
		kept.bytes.set(key);
		kept.at = retiredAt;
	}
};
const startsAsUrl = (bytes, length) => {
	for (const scheme of URL_SCHEMES) if (length > scheme.length && sameUpTo(scheme, scheme.length, bytes)) return true;
	return false;
};

// edge/sdk/verify/columns.ts
/** Stores agents in columns: about a hundred bytes for each agent, and no object. */
/**
* The forms in which an address is stored: absent, whole, or as a known prefix followed by the handle or the number.
*/
const URL_NONE = 0;
const URL_WHOLE = 1;
const URL_PREFIXED = 2;
const columnsFor = (agents, retiredKeys, textBytes) => ({
	numbers: new Float64Array(agents),
	order: null,
	states: new Uint8Array(agents),
	scores: new Float64Array(agents * 2),
	keys: new Uint8Array(agents * PUBLIC_KEY_BYTES),
	retired: new Uint8Array(retiredKeys * PUBLIC_KEY_BYTES),
	retiredFrom: new Uint32Array(agents),
	texts: new Uint8Array(textBytes),
	textFrom: new Uint32Array(agents),
	prefixes: []
});
const keyAt = (keys, at) => keys.subarray(at * PUBLIC_KEY_BYTES, (at + 1) * PUBLIC_KEY_BYTES);
/** Returns the array if it has room for `needed`, and otherwise a copy at least twice as large. */
const grown = (array, needed) => {
	if (needed <= array.length) return array;
	const bigger = new array.constructor(Math.max(needed, array.length * 2));
	bigger.set(array);
	return bigger;
};

// edge/sdk/verify/columns-writer.ts
/** Fills the columns agent by agent, and then sorts them. */
const PREFIXES_MAX = 32;
var ColumnsWriter = class {
	count = 0;
	columns;
	prefixBytes = [];
	retiredCount = 0;
	textLength = 0;
	ascending = true;
	constructor(columns) {
		this.columns = columns;
	}
	add(agent) {
		this.makeRoom(agent.retiredKept);
		const { columns, count } = this;
		if (count > 0 && columns.numbers[count - 1] >= agent.number) this.ascending = false;
		columns.numbers[count] = agent.number;
		columns.states[count] = agent.status | agent.moderation << 2 | agent.retiredKept << 4;
		columns.scores[count * 2] = agent.trust;
		columns.scores[count * 2 + 1] = agent.reputation;
		if (agent.hasKey) columns.keys.set(agent.key, count * PUBLIC_KEY_BYTES);
		columns.retiredFrom[count] = this.retiredCount;
		for (let index = 0; index < agent.retiredKept; index++) columns.retired.set(agent.retiredKeys[index].bytes, this.retiredCount++ * PUBLIC_KEY_BYTES);
		this.keepTexts(agent);
		this.count++;
	}
	putInOrder() {
		if (!this.ascending) this.sort();
		for (let rank = 1; rank < this.count; rank++) if (this.numberAt(rank - 1) === this.numberAt(rank)) throw malformed("a number comes twice");
	}
	/** The highest number. The columns must be sorted. */
	highest() {
		return this.count === 0 ? 0 : this.numberAt(this.count - 1);
	}
	/** Frees the unused part of the arrays, if that is worth a copy. */
	trim() {
		const { columns, count } = this;
		if (count > columns.numbers.length * .9) return;
		columns.numbers = columns.numbers.slice(0, count);
		columns.states = columns.states.slice(0, count);
		columns.scores = columns.scores.slice(0, count * 2);
		columns.keys = columns.keys.slice(0, count * PUBLIC_KEY_BYTES);
		columns.retired = columns.retired.slice(0, this.retiredCount * PUBLIC_KEY_BYTES);
		columns.retiredFrom = columns.retiredFrom.slice(0, count);
		columns.texts = columns.texts.slice(0, this.textLength);
		columns.textFrom = columns.textFrom.slice(0, count);
	}
	makeRoom(retiredKeys) {
		const { columns, count } = this;
		columns.numbers = grown(columns.numbers, count + 1);
		columns.states = grown(columns.states, count + 1);
		columns.scores = grown(columns.scores, count * 2 + 2);
		columns.keys = grown(columns.keys, (count + 1) * PUBLIC_KEY_BYTES);
		columns.retiredFrom = grown(columns.retiredFrom, count + 1);
		columns.textFrom = grown(columns.textFrom, count + 1);
		columns.retired = grown(columns.retired, (this.retiredCount + retiredKeys) * PUBLIC_KEY_BYTES);
	}
	numberAt(rank) {
		const { numbers, order } = this.columns;
		return numbers[order === null ? rank : order[rank]];
	}
	sort() {
		const { numbers } = this.columns;
		const order = new Uint32Array(this.count);
		for (let at = 0; at < order.length; at++) order[at] = at;
		this.columns.order = order.toSorted((one, other) => numbers[one] - numbers[other]);
	}
	keepTexts(agent) {
		const { columns } = this;
		const { handle, handleLength, urls, urlLengths } = agent;
		const [profile, id] = [urlLengths[0], urlLengths[1]];
		columns.texts = grown(columns.texts, this.textLength + 1 + handleLength + Math.max(profile, 0) + Math.max(id, 0) + 6);
		columns.textFrom[this.count] = this.textLength;
		this.put(handleLength);
		this.putBytes(handle, handleLength);
		this.keepUrl(urls[0], profile, handle, handleLength);
		this.keepUrl(urls[1], id, agent.numberText, agent.numberLength);
	}
	keepUrl(url, length, ending, endingLength) {
		if (length === -1) return this.put(URL_NONE);
		const prefix = this.prefixOf(url, length - endingLength, ending, endingLength);
		if (prefix !== -1) {
			this.put(URL_PREFIXED);
			return this.put(prefix);
		}
		this.put(URL_WHOLE);
		this.put(length >> 8);
		this.put(length & 255);
		this.putBytes(url, length);
	}
	/** The index of the known prefix of an address. -1 if the address does not fit, or there are too many prefixes. */
	prefixOf(url, length, ending, endingLength) {
		if (length <= 0) return -1;
		if (!sameUpTo(ending, endingLength, url, length)) return -1;
		const known = indexOfName(this.prefixBytes, url, length);
		if (known !== -1 || this.prefixBytes.length >= PREFIXES_MAX) return known;
		this.columns.prefixes.push(latin(url, 0, length));
		return this.prefixBytes.push(url.slice(0, length)) - 1;
	}
	put(byte) {
		this.columns.texts[this.textLength++] = byte;
	}
	putBytes(bytes, length) {
		for (let at = 0; at < length; at++) this.put(bytes[at]);
	}
};

// edge/sdk/verify/directory.ts
/** All agents, found by their numbers. */
const NONE_CHANGED = /* @__PURE__ */ new Map();
var Directory = class Directory {
	maxNumber;
	generatedAt;
	count;
	columns;
	/** The number of agents in the columns. */
	rows;
	/** Entries that replace those in the columns, or add to them. */
	changed;
	constructor(columns, rows, changed, told) {
		this.columns = columns;
		this.rows = rows;
		this.changed = changed;
		this.count = told.count;
		this.maxNumber = told.maxNumber;
		this.generatedAt = told.generatedAt;
	}
	static of(columns, count, maxNumber, generatedAt) {
		return new Directory(columns, count, NONE_CHANGED, {
			count,
			maxNumber,
			generatedAt
		});
	}
	/** The number of agents whose entry differs from the columns. */
	get changedCount() {
		return this.changed.size;
	}
	/** A copy with the entries of `newer` in place of its own. It keeps no reference to `newer`. */
	with(newer) {
		const changed = new Map(this.changed);
		let { count } = this;
		for (let at = 0; at < newer.rows; at++) {
			const number = newer.columns.numbers[at];
			if (!changed.has(number) && this.rowOf(number) === -1) count++;
			const { fields, key, retiredKeys } = newer.identityAt(at);
			const retired = retiredKeys().map((one) => one.slice());
			changed.set(number, {
				fields,
				key: key?.slice() ?? null,
				retiredKeys: () => retired
			});
		}
		const { generatedAt } = newer;
		return new Directory(this.columns, this.rows, changed, {
			count,
			maxNumber: newer.maxNumber,
			generatedAt
		});
	}
	/** Empty columns with room for as many agents and a few more. */
	columnsOfSize() {
		const { retired, texts } = this.columns;
		const more = (size) => Math.ceil(size * 1.05);
		return columnsFor(more(this.count) + 16, more(retired.length / PUBLIC_KEY_BYTES), more(texts.length) + 1024);
	}
	find(number) {
		const changed = this.changed.get(number);
		if (changed !== void 0) return changed;
		const at = this.rowOf(number);
		return at === -1 ? null : this.identityAt(at);
	}
	/** The row of an agent; -1 if there is none. */
	rowOf(number) {
		const { numbers, order } = this.columns;
		let low = 0;
		let high = this.rows - 1;
		while (low <= high) {
			const middle = low + high >>> 1;
			const at = order === null ? middle : order[middle];
			const found = numbers[at];
			if (found === number) return at;
			if (found < number) low = middle + 1;
			else high = middle - 1;
		}
		return -1;
	}
	identityAt(at) {
		const { numbers, states, scores, keys, retired, retiredFrom } = this.columns;
		const state = states[at];
		const status = STATUSES[state & 3];
		const [handle, profileUrl, idUrl] = this.textsAt(at, agentNumber(numbers[at]));
		const fields = {
			handle,
			name: null,
			trust: scores[at * 2],
			reputation: scores[at * 2 + 1],
			status,
			moderation: MODERATIONS[state >> 2 & 3],
			profile_url: profileUrl,
			id_url: idUrl
		};
		if (status === "retired") return {
			fields,
			key: null,
			retiredKeys: NO_KEYS
		};
		const from = retiredFrom[at];
		return {
			fields,
			key: keyAt(keys, at),
			retiredKeys: state < 16 ? NO_KEYS : () => Array.from({ length: state >> 4 }, (_, index) => keyAt(retired, from + index))
		};
	}
	textsAt(slot, number) {
		const { texts, textFrom, prefixes } = this.columns;
		let at = textFrom[slot];
		const take = (length) => latin(texts, at, at += length);
		const handle = take(texts[at++]);
		const url = (ending) => {
			const form = texts[at++];
			if (form === URL_NONE) return null;
			if (form === URL_PREFIXED) return `${prefixes[texts[at++]]}${ending}`;
			const length = texts[at] << 8 | texts[at + 1];
			at += 2;
			return take(length);
		};
		return [
			handle,
			url(handle),
			url(number)
		];
	}
};

// edge/sdk/verify/directory-builder.ts
/**
* Builds a directory from its document, or from the entries that changed.
*
* Invariants
*  - Members may come in any order, and each is checked. If a member is missing, repeated or malformed, the whole
*    document is refused.
*/
const FIRST_AGENTS = 1024;
const FIRST_TEXT_BYTES = 16384;
const TOP = names("ok", "data");
/** Only a document of changes has the last two members. */
const DATA = names("generated_at", "max_number", "count", "agents", "since", "more");
const DATA_NEEDED = 4;
const ENTRY = names("id", "handle", "status", "moderation", "public_key", "keys", "trust", "reputation", "profile_url", "id_url");
const KEY_ENTRY = names("public_key", "status", "retired_at");
const STATUS_NAMES = names(...STATUSES);
const MODERATION_NAMES = names("suspended", "banned");
const KEY_STATUS_NAMES = names("current", "retired");
/** Depths of the document: inside `{ok, data}`, `data`, `agents`, one agent, its `keys`, one key. */
const IN_TOP = 1;
const IN_DATA = 2;
const IN_AGENTS = 3;
const IN_AGENT = 4;
const IN_KEYS = 5;
const IN_KEY = 6;
var DirectoryBuilder = class {
	writer;
	agentsMax;
	depth = 0;
	field = -1;
	/** One bit for each member that was read, for each depth: each member must occur exactly once. */
	seen = /* @__PURE__ */ new Uint32Array(7);
	ok = false;
	generatedAt = NaN;
	maxNumber = -1;
	declared = -1;
	isChanges = false;
	more = false;
	agent = new AgentEntry();
	/** The key of the entry of `keys` that is being read. */
	entryKey = new Uint8Array(PUBLIC_KEY_BYTES);
	entryRetired = false;
	entryRetiredAt = 0;
	/** `last` is the current directory, if the next one is complete and will have about the same size. */
	constructor(agentsMax, last) {
		this.agentsMax = agentsMax;
		this.writer = new ColumnsWriter(last === null ? columnsFor(FIRST_AGENTS, 0, FIRST_TEXT_BYTES) : last.columnsOfSize());
	}
	key(bytes, length) {
		if (this.depth === IN_AGENTS) {
			this.beginAgent(bytes, length);
			return true;
		}
		const list = this.depth === IN_TOP ? TOP : this.depth === IN_DATA ? DATA : this.depth === IN_AGENT ? ENTRY : KEY_ENTRY;
		this.field = indexOfName(list, bytes, length);
		if (this.field === -1) return false;
		const bit = 1 << this.field;
		if ((this.seen[this.depth] & bit) !== 0) throw malformed("a member comes twice");
		this.seen[this.depth] = this.seen[this.depth] | bit;
		return true;
	}
	open(array) {
		const { depth, field } = this;
		if (!(depth === 0 || depth === IN_AGENTS || depth === IN_KEYS ? !array : depth === IN_TOP ? !array && field === 1 : depth === IN_DATA ? !array && field === 3 : depth === IN_AGENT && array && field === 5)) throw malformed("a member has the wrong form");
		this.depth++;
		this.seen[this.depth] = 0;
		if (this.depth === IN_KEY) {
			this.entryRetired = false;
			this.entryRetiredAt = NaN;
		}
	}
	close() {
		if (this.depth === IN_AGENT) this.endAgent();
		else if (this.depth === IN_KEY) this.endKey();
		else if (this.depth === IN_DATA || this.depth === IN_TOP) this.complete(this.depth === IN_DATA ? DATA_NEEDED : TOP.length);
		this.depth--;
	}
	text(bytes, length) {
		if (length === -1) throw malformed("a text is too long or not ASCII");
		if (this.depth === IN_AGENT) return this.agentText(bytes, length);
		if (this.depth === IN_KEY) return this.keyText(bytes, length);
		if (this.depth === IN_DATA && this.field === 4) {
			this.isChanges = true;
			return;
		}
		if (this.depth !== IN_DATA || this.field !== 0) throw malformed("a member has the wrong form");
		this.generatedAt = Date.parse(latin(bytes, 0, length));
		if (Number.isNaN(this.generatedAt)) throw malformed("generated_at is no time");
	}
	number(value) {
		if (this.depth === IN_AGENT && this.field === 6) this.agent.trust = value;
		else if (this.depth === IN_AGENT && this.field === 7) this.agent.reputation = value;
		else if (this.depth === IN_DATA && this.field === 1 && Number.isSafeInteger(value)) this.maxNumber = value;
		else if (this.depth === IN_DATA && this.field === 2 && Number.isSafeInteger(value)) this.declared = value;
		else throw malformed("a member has the wrong form");
	}
	literal(value) {
		if (this.depth === IN_TOP && this.field === 0 && value === true) this.ok = true;
		else if (this.depth === IN_DATA && this.field === 5 && value !== null) this.more = value;
		else if (this.depth !== IN_AGENT || value !== null || ![
			3,
			4,
			8
		].includes(this.field)) throw malformed("a member has the wrong form");
	}
	finish() {
		const { writer, maxNumber, generatedAt, isChanges, more, declared } = this;
		const isAll = isChanges ? writer.count <= declared : !more && writer.count === declared;
		if (!this.ok || !isAll) throw malformed("it does not hold what it says");
		writer.putInOrder();
		if (writer.highest() > maxNumber) throw malformed("a number is above max_number");
		writer.trim();
		return {
			directory: Directory.of(writer.columns, writer.count, maxNumber, generatedAt),
			isChanges,
			more,
			count: declared
		};
	}
	complete(needed) {
		const all = (1 << needed) - 1;
		if ((this.seen[this.depth] & all) !== all) throw malformed("a member is missing");
	}
	beginAgent(bytes, length) {
		const { agent } = this;
		const number = length < 0 || length > agent.numberText.length ? null : parseAgentNumber(latin(bytes, 0, length));
		if (number === null) throw malformed("an agent's number is not canonical");
		if (this.writer.count >= this.agentsMax) throw malformed("it holds too many agents");
		agent.begin(number, bytes, length);
	}
	agentText(bytes, length) {
		const { agent } = this;
		switch (this.field) {
			case 0: return agent.checkId(bytes, length);
			case 1: return agent.readHandle(bytes, length);
			case 2:
				agent.status = oneOf(STATUS_NAMES, bytes, length);
				return;
			case 3:
				agent.moderation = oneOf(MODERATION_NAMES, bytes, length) + 1;
				return;
			case 4: return agent.readKey(bytes, length);
			case 8: return agent.readUrl(0, bytes, length);
			case 9: return agent.readUrl(1, bytes, length);
			default: throw malformed("a member has the wrong form");
		}
	}
	keyText(bytes, length) {
		if (this.field === 0) {
			if (!decodeBase64(bytes, length, this.entryKey)) throw malformed("a key is none");
		} else if (this.field === 1) this.entryRetired = oneOf(KEY_STATUS_NAMES, bytes, length) === 1;
		else {
			this.entryRetiredAt = Date.parse(latin(bytes, 0, length));
			if (Number.isNaN(this.entryRetiredAt)) throw malformed("retired_at is no time");
		}
	}
	endKey() {
		if ((this.seen[IN_KEY] & 3) !== 3) throw malformed("a member is missing");
		if (!this.entryRetired) return;
		if (Number.isNaN(this.entryRetiredAt)) throw malformed("a retired key has no retired_at");
		this.agent.keepRetired(this.entryKey, this.entryRetiredAt);
	}
	endAgent() {
		this.complete(ENTRY.length);
		const { agent } = this;
		if (!agent.hasKey && STATUSES[agent.status] !== "retired") throw malformed("an agent has no key");
		this.writer.add(agent);
	}
};
const oneOf = (list, bytes, length) => {
	const index = indexOfName(list, bytes, length);
	if (index === -1) throw malformed("a member has an unknown value");
	return index;
};

// edge/sdk/verify/json.ts
/** A JSON parser that reads a document as it arrives. */
const VALUE = 0;
const VALUE_OR_END = 1;
const KEY = 2;
const KEY_OR_END = 3;
const COLON = 4;
const AFTER = 5;
const DONE = 6;
const TEXT = 7;
const ESCAPE = 8;
const UNICODE = 9;
const DIGITS = 10;
const WORD = 11;
const NUMBER_CHARS_MAX = 40;
const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const ESCAPES = {
	"\"": 34,
	"\\": 92,
	"/": 47,
	b: 8,
	f: 12,
	n: 10,
	r: 13,
	t: 9
};
/** A strict parser that holds one short text at a time and can continue at any byte. */
var JsonReader = class {
	state = VALUE;
	depth = 0;
	arrays = [];
	bytes = new Uint8Array(BOUNDS.urlChars);
	length = 0;
	isKey = false;
	/** The depth of the object whose member is being skipped; -1 if none is. */
	skipAt = -1;
	unicode = 0;
	unicodeLeft = 0;
	word = "";
	wordAt = 0;
	sink;
	constructor(sink) {
		this.sink = sink;
	}
	push(chunk) {
		const end = chunk.length;
		for (let at = 0; at < end;) if (this.state === TEXT) at = this.readText(chunk, at, end);
		else if (this.state === DIGITS) at = this.readDigits(chunk, at, end);
		else {
			const byte = chunk[at++];
			if (this.state === ESCAPE) this.escape(byte);
			else if (this.state === UNICODE) this.readUnicode(byte);
			else if (this.state === WORD) this.readWord(byte);
			else if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) this.structure(byte);
		}
	}
	end() {
		if (this.state !== DONE) throw malformed("it breaks off");
	}
	structure(byte) {
		switch (this.state) {
			case VALUE_OR_END: return byte === 93 ? this.close(true) : this.begin(byte);
			case VALUE: return this.begin(byte);
			case KEY_OR_END:
				if (byte === 125) return this.close(false);
				return this.beginKey(byte);
			case KEY: return this.beginKey(byte);
			case COLON:
				if (byte !== 58) throw malformed("a colon is missing");
				this.state = VALUE;
				return;
			case AFTER:
				if (byte === 44) this.state = this.arrays[this.depth - 1] === true ? VALUE : KEY;
				else if (byte === 125 || byte === 93) this.close(byte === 93);
				else throw malformed("a comma is missing");
				return;
			default: throw malformed("something follows its end");
		}
	}
	beginKey(byte) {
		if (byte !== 34) throw malformed("a name is missing");
		this.isKey = true;
		this.beginText();
	}
	beginText() {
		this.length = 0;
		this.state = TEXT;
	}
	begin(byte) {
		if (byte === 34) {
			this.isKey = false;
			this.beginText();
		} else if (byte === 123 || byte === 91) this.open(byte === 91);
		else if (byte === 45 || byte >= 48 && byte <= 57) {
			this.length = 0;
			this.append(byte);
			this.state = DIGITS;
		} else {
			this.word = byte === 116 ? "true" : byte === 102 ? "false" : byte === 110 ? "null" : "";
			if (this.word === "") throw malformed("a value is missing");
			this.wordAt = 1;
			this.state = WORD;
		}
	}
	open(array) {
		if (this.depth >= BOUNDS.jsonDepth) throw malformed("it is nested too deeply");
		if (this.skipAt === -1) this.sink.open(array);
		this.arrays[this.depth++] = array;
		this.state = array ? VALUE_OR_END : KEY_OR_END;
	}
	close(array) {
		if (this.arrays[this.depth - 1] !== array) throw malformed("brackets do not match");
		this.depth--;
		if (this.skipAt === -1) this.sink.close();
		this.done();
	}
	/** Called at the end of each value. */
	done() {
		if (this.skipAt === this.depth) this.skipAt = -1;
		this.state = this.depth === 0 ? DONE : AFTER;
	}
	append(byte) {
		if (this.length === -1) return;
		if (this.length === BOUNDS.urlChars) this.length = -1;
		else this.bytes[this.length++] = byte;
	}
	readText(chunk, from, end) {
		const capturing = this.skipAt === -1;
		const { bytes } = this;
		let { length } = this;
		let at = from;
		for (; at < end; at++) {
			const byte = chunk[at];
			if (byte === 34 || byte === 92) break;
			if (byte < 32) throw malformed("a control character stands in a text");
			if (!capturing || length === -1) continue;
			if (byte > 126 || length === BOUNDS.urlChars) length = -1;
			else bytes[length++] = byte;
		}
		this.length = length;
		if (at === end) return at;
		if (chunk[at] === 92) this.state = ESCAPE;
		else this.endText();
		return at + 1;
	}
	endText() {
		if (!this.isKey) {
			if (this.skipAt === -1) this.sink.text(this.bytes, this.length);
			return this.done();
		}
		if (this.skipAt === -1 && !this.sink.key(this.bytes, this.length)) this.skipAt = this.depth;
		this.state = COLON;
	}
	escape(byte) {
		this.state = TEXT;
		const letter = String.fromCharCode(byte);
		if (letter === "u") {
			this.unicode = 0;
			this.unicodeLeft = 4;
			this.state = UNICODE;
		} else if (Object.hasOwn(ESCAPES, letter)) this.append(ESCAPES[letter]);
		else throw malformed("an escape is none of JSON's");
	}
	readUnicode(byte) {
		const digit = Number.parseInt(String.fromCharCode(byte), 16);
		if (Number.isNaN(digit)) throw malformed("an escape is none of JSON's");
		this.unicode = this.unicode * 16 + digit;
		if (--this.unicodeLeft > 0) return;
		if (this.unicode > 126) this.length = -1;
		else this.append(this.unicode);
		this.state = TEXT;
	}
	readDigits(chunk, from, end) {
		let at = from;
		for (; at < end; at++) {
			const byte = chunk[at];
			if ((byte < 48 || byte > 57) && byte !== 46 && byte !== 45 && byte !== 43 && byte !== 69 && byte !== 101) {
				this.endDigits();
				return at;
			}
			if (this.length >= NUMBER_CHARS_MAX) throw malformed("a number is too long");
			this.append(byte);
		}
		return at;
	}
	endDigits() {
		const digits = latin(this.bytes, 0, this.length);
		if (!JSON_NUMBER.test(digits)) throw malformed("a number is none of JSON's");
		const value = Number(digits);
		if (!Number.isFinite(value)) throw malformed("a number is too large");
		if (this.skipAt === -1) this.sink.number(value);
		this.done();
	}
	readWord(byte) {
		if (byte !== this.word.charCodeAt(this.wordAt)) throw malformed("a word is none of JSON's");
		if (++this.wordAt < this.word.length) return;
		if (this.skipAt === -1) this.sink.literal(this.word === "null" ? null : this.word === "true");
		this.done();
	}
};

// edge/sdk/verify/pause.ts
/** The pause that the hub asks for with `Retry-After`. */
/** The pause that the hub asks for, as seconds or as a date, with a bound. */
var Pause = class {
	until = 0;
	heed(response, now) {
		if (response.status !== 429 && response.status !== 503) return;
		const text = response.headers.get("retry-after") ?? "";
		const ms = /^[0-9]{1,9}$/.test(text) ? Number(text) * 1e3 : Date.parse(text) - now;
		if (ms > 0) this.until = now + Math.min(ms, BOUNDS.retryAfterMaxSeconds * 1e3);
	}
	/** A pause does not last if the clock was set back by more than the longest pause. */
	lasts(now) {
		return now < this.until && this.until - now <= BOUNDS.retryAfterMaxSeconds * 1e3;
	}
};

// edge/sdk/verify/within.ts
/** Limits the time of a wait. */
/** Rejects and aborts the work when the time is over or `outer` is aborted. */
const within = async (ms, work, outer) => {
	const controller = new AbortController();
	let end = () => void 0;
	const over = new Promise((_, reject) => {
		end = () => {
			reject(/* @__PURE__ */ new Error("the time is over"));
			controller.abort();
		};
	});
	const timer = setTimeout(end, ms);
	outer?.addEventListener("abort", end);
	try {
		return await Promise.race([work(controller.signal), over]);
	} finally {
		clearTimeout(timer);
		outer?.removeEventListener("abort", end);
	}
};

// edge/sdk/verify/directory-source.ts
/**
* Keeps a directory up to date.
*
* Invariants
*  - There is at most one attempt to read the directory a minute, and one at a time, successful or not.
*  - Changed entries are added to the current directory when all of them have arrived and the number of agents is as
*    the hub says. If it is not, the next attempt reads the whole directory.
*  - A directory is replaced completely or not at all. A new one that is cut short, malformed, too large or much older
*    changes nothing.
*/
var DirectorySource = class {
	directory = null;
	/** The start of the attempt that read or confirmed the directory. */
	confirmedAt = 0;
	etag = null;
	/** The start of the attempt that read a complete directory. */
	wholeAt = 0;
	attempt = null;
	lastAttemptAt = Number.NEGATIVE_INFINITY;
	pause = new Pause();
	waiting = 0;
	closing = new AbortController();
	settings;
	clock;
	constructor(settings, clock) {
		this.settings = settings;
		this.clock = clock;
	}
	find(number) {
		return (this.directory !== null && this.ageMs() < BOUNDS.renewAheadSeconds * 1e3 ? this.directory?.find(number) : null) ?? this.findLater(number);
	}
	async findLater(number) {
		await this.refresh();
		let directory = this.usable();
		if (directory === null) return "hub_unreachable";
		const found = directory.find(number);
		if (found !== null || number <= directory.maxNumber) return found ?? "id_unknown";
		await this.wait(this.tryNow());
		directory = this.usable();
		return directory === null ? "hub_unreachable" : directory.find(number) ?? "id_unknown";
	}
	async newer(number) {
		const before = this.directory;
		await this.wait(this.tryNow());
		return this.directory === before ? null : this.directory?.find(number) ?? "id_unknown";
	}
	async ready() {
		await this.refresh();
		return this.usable() !== null;
	}
	async settled() {
		await this.attempt?.ended;
	}
	close() {
		this.closing.abort();
	}
	ageMs() {
		const now = this.settings.now();
		if (now < this.confirmedAt) this.confirmedAt = now - BOUNDS.directoryMaxAgeSeconds * 1e3;
		return now - this.confirmedAt;
	}
	usable() {
		return this.directory !== null && this.ageMs() <= this.settings.maxStaleMs ? this.directory : null;
	}
	/**
	* Renews the directory. Up to an age of five minutes, no check waits for this. After that each check waits for the
	* attempt, for a bounded time.
	*/
	async refresh() {
		const age = this.directory === null ? Number.POSITIVE_INFINITY : this.ageMs();
		if (age < BOUNDS.renewAheadSeconds * 1e3) return;
		const attempt = this.tryNow();
		if (age >= BOUNDS.directoryMaxAgeSeconds * 1e3) await this.wait(attempt);
	}
	/** The attempt under way, or a new one if one is permitted. */
	tryNow() {
		const now = this.settings.now();
		if (this.attempt !== null && now - this.attempt.startedAt <= this.settings.fetchTimeoutMs) return this.attempt.ended;
		const sinceLast = now - this.lastAttemptAt;
		if (sinceLast >= 0 && sinceLast < BOUNDS.attemptIntervalSeconds * 1e3) return null;
		if (this.pause.lasts(now) || this.closing.signal.aborted) return null;
		this.lastAttemptAt = now;
		const attempt = {
			startedAt: now,
			ended: Promise.resolve().then(() => this.run(attempt))
		};
		this.attempt = attempt;
		return attempt.ended;
	}
	async wait(ended) {
		if (ended === null || this.waiting >= BOUNDS.waitingChecks) return;
		this.waiting++;
		try {
			await within(this.settings.waitMs, () => ended);
		} catch {} finally {
			this.waiting--;
		}
	}
	async run(attempt) {
		try {
			await within(this.settings.fetchTimeoutMs, (signal) => this.load(attempt, signal), this.closing.signal);
		} catch {} finally {
			if (this.attempt === attempt) this.attempt = null;
		}
	}
	async load(attempt, signal) {
		let held = this.readOn();
		for (let page = 0; page < BOUNDS.changesPages; page++) {
			const response = await this.ask(page === 0, held?.etag ?? null, signal);
			this.pause.heed(response, this.settings.now());
			if (page === 0 && (response.status === 200 || response.status === 304)) this.clock.learn(response, attempt.startedAt);
			if (response.status !== 200) return this.unread(response, attempt, page === 0, signal);
			if (held !== null) this.etag = null;
			const read = await this.read(response, held !== null, signal);
			if (this.attempt !== attempt || signal.aborted) return;
			if (!read.isChanges) {
				this.wholeAt = attempt.startedAt;
				return this.replace(read.directory, response, attempt);
			}
			if (held === null) return;
			const directory = held.directory.with(read.directory);
			if (directory.count > this.settings.maxAgents) return;
			if (!read.more && directory.count === read.count) return this.replace(directory, response, attempt);
			const etag = etagOf(response);
			if (!read.more || etag === null) return;
			held = {
				directory,
				etag
			};
		}
	}
	/** The directory that changes can be added to; `null` if the whole must be read. */
	readOn() {
		const { directory, etag } = this;
		const age = this.settings.now() - this.wholeAt;
		const isDue = age < 0 || age >= BOUNDS.wholeReadSeconds * 1e3;
		return directory === null || etag === null || isDue || directory.changedCount > BOUNDS.changedAgents ? null : {
			directory,
			etag
		};
	}
	ask(first, since, signal) {
		const headers = { accept: "application/json" };
		if (first && this.etag !== null && this.directory !== null) headers["if-none-match"] = this.etag;
		const query = since === null ? "" : `?since=${encodeURIComponent(since)}`;
		return this.settings.fetch(`${this.settings.hub}${API_PREFIX}/id/directory${query}`, {
			method: "GET",
			headers,
			redirect: "manual",
			signal
		});
	}
	/** Handles an answer without a directory. An ETag that the hub refused is not used again. */
	unread(response, attempt, first, signal) {
		const { status } = response;
		const isConfirmed = status === 304 && first && this.etag !== null && this.directory !== null;
		discard(response);
		if (this.attempt !== attempt || signal.aborted) return;
		if (isConfirmed) this.confirmedAt = attempt.startedAt;
		else if (status === 400 || status === 404 || status === 422) this.etag = null;
	}
	async read(response, isPart, signal) {
		const builder = new DirectoryBuilder(this.settings.maxAgents, isPart ? null : this.directory);
		const reader = new JsonReader(builder);
		await drain(response, this.settings.maxDirectoryBytes, (chunk) => reader.push(chunk), signal);
		reader.end();
		return builder.finish();
	}
	replace(directory, response, attempt) {
		const held = this.usable();
		if (held !== null && directory.generatedAt < held.generatedAt - BOUNDS.rollbackSeconds * 1e3) return;
		this.etag = etagOf(response);
		this.directory = directory;
		this.confirmedAt = attempt.startedAt;
	}
};
const etagOf = (response) => {
	const etag = response.headers.get("etag");
	return etag !== null && etag.length <= BOUNDS.etagChars ? etag : null;
};

// edge/sdk/verify/misuse.ts
/** An error for a mistake in the website's own code. It is thrown and never becomes a verdict. */
const misuse = (what) => /* @__PURE__ */ new TypeError(`hub verifier: ${what}`);

// edge/sdk/verify/request.ts
const readRequest = (request, options) => {
	if (typeof request !== "object" || request === null) throw misuse("check() takes a Request, or { method, path, headers }");
	const { method, headers } = request;
	if (typeof method !== "string") throw misuse("`method` must be a string");
	if (typeof headers !== "object" || headers === null) throw misuse("`headers` must be an object");
	const given = options?.path ?? request.path;
	if (typeof given === "string") return {
		method,
		headers,
		path: given
	};
	const { url } = request;
	if (typeof url !== "string") throw misuse("`path` must be a string: the request target as sent");
	return {
		method,
		headers,
		path: targetOf(url)
	};
};
/**
* The path and query of an absolute address, unchanged. Other texts are request targets already, like Node's
* `request.url`.
*/
const targetOf = (url) => {
	const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url);
	if (scheme === null) return url;
	const fragment = url.indexOf("#");
	const whole = fragment === -1 ? url : url.slice(0, fragment);
	const path = whole.slice(scheme[0].length).search(/[/?]/);
	const target = path === -1 ? "" : whole.slice(scheme[0].length + path);
	return target.startsWith("/") ? target : `/${target}`;
};
/** The value of a header that is repeated or not a text. It matches nothing. */
const UNUSABLE = "\0";
const textOf = (value) => {
	if (value === void 0 || value === null) return null;
	const single = Array.isArray(value) && value.length === 1 ? value[0] : value;
	return typeof single === "string" ? single : UNUSABLE;
};
const HEADER_NAMES = [
	"hub-id",
	"hub-timestamp",
	"hub-nonce",
	"hub-signature",
	"user-agent"
];
const WEB_BOT_AUTH_HEADERS = ["signature-agent", "signature-input"];
const PROOF_HEADERS = [
	...HEADER_NAMES,
	"signature",
	...WEB_BOT_AUTH_HEADERS
];
const NAME_CHARS_MAX = 16;
/** Header values in the order of `names`, with `null` for missing ones. Header names may have any case. */
const readFields = (headers, names) => {
	const get = headers.get;
	if (typeof get === "function") return names.map((name) => textOf(get.call(headers, name) ?? void 0));
	const found = names.map(() => null);
	for (const name of Object.keys(headers)) {
		const at = name.length > NAME_CHARS_MAX ? -1 : names.indexOf(name.toLowerCase());
		if (at === -1) continue;
		const text = textOf(headers[name]);
		if (text !== null) found[at] = found[at] === null ? text : UNUSABLE;
	}
	return found;
};

// edge/sdk/verify/local-judge.ts
/**
* Judges requests on this machine.
*
* Invariants
*  - A request is judged against the website's configured host names, never against its own `Host` header.
*  - The order of the checks decides the reason. It is the one that the hub would give, except for `CLIENT_REASONS`,
*    which only this side gives.
*  - A nonce is remembered only if its signature is valid. If it cannot be remembered, the request is refused.
*/
/** Does not use `instanceof`, because some pages replace the language's Promise. */
const isLater = (value) => typeof value?.then === "function";
const isClientReason = (found) => CLIENT_REASONS.includes(found);
const isWebBotAuth = ({ headers }) => {
	const [agent = null, input = null] = readFields(headers, WEB_BOT_AUTH_HEADERS);
	return agent !== null || input?.includes("tag=\"web-bot-auth\"") === true;
};
const conclusion = (fault, id, fields) => fault === null ? {
	valid: true,
	reason: null,
	scheme: "hub-id",
	id,
	...fields
} : refuse(fault, id, fields);
/** Checks are synchronous if possible: a promise for every step would cost a tenth of a verification. */
var LocalJudge = class {
	nonces;
	source;
	clock;
	settings;
	signatures;
	store;
	constructor(settings, source, clock, options) {
		this.settings = settings;
		this.source = source;
		this.clock = clock;
		this.signatures = options.signatures;
		this.nonces = options.nonces;
		this.store = options.store;
	}
	judge(request) {
		const [id = null, timestamp = null, nonce = null, signature = null, userAgent = null] = readFields(request.headers, HEADER_NAMES);
		if (id === null && timestamp === null && nonce === null && signature === null) return isWebBotAuth(request) ? { ...notSupported } : this.judgeAnnouncement(userAgent);
		if (id === null || timestamp === null || nonce === null || signature === null) return refuse("headers_incomplete");
		const number = parseAgentNumber(id);
		if (number === null) return refuse("id_malformed");
		const proof = {
			number,
			id,
			headers: {
				timestamp,
				nonce,
				signature
			},
			request
		};
		const found = this.source.find(number);
		return isLater(found) ? found.then((one) => this.judgeFound(proof, one)) : this.judgeFound(proof, found);
	}
	/** A User-Agent only claims an agent's number and proves nothing. The agent's fields are added for convenience. */
	async judgeAnnouncement(userAgent) {
		const id = userAgent === null ? null : announcedNumber(userAgent);
		const number = id === null ? null : parseAgentNumber(id);
		if (number === null) return refuse("headers_missing");
		const found = await this.source.find(number);
		if (typeof found === "string") return refuse("announced_only", null, NO_AGENT, ANNOUNCED);
		return refuse("announced_only", id, found.fields, ANNOUNCED);
	}
	judgeFound(proof, found) {
		return typeof found === "string" ? refuse(found) : this.judgeProof(proof, found, true);
	}
	/** `mayRenew` is true if the hub may be asked about an unknown key. */
	judgeProof(proof, identity, mayRenew) {
		const { id, headers } = proof;
		const { fields } = identity;
		if (identity.key === null) return refuse("agent_retired", id, fields);
		if (!TIMESTAMP_PATTERN.test(headers.timestamp)) return refuse("timestamp_invalid", id, fields);
		const timestamp = Number(headers.timestamp);
		if (Math.abs(timestamp - this.clock.seconds()) > BOUNDS.windowSeconds || timestamp <= this.nonces.forgottenUpTo) return refuse("timestamp_expired", id, fields);
		if (!NONCE_PATTERN.test(headers.nonce)) return refuse("nonce_invalid", id, fields);
		const signer = this.signerOf(proof, identity.key, identity);
		return isLater(signer) ? signer.then((one) => this.judgeSigner(proof, identity, one, mayRenew)) : this.judgeSigner(proof, identity, signer, mayRenew);
	}
	judgeSigner(proof, identity, signer, mayRenew) {
		const { id } = proof;
		const { fields } = identity;
		if (signer === "nobody" && mayRenew) return this.judgeRenewed(proof, identity);
		if (signer === "nobody" || signer === "malformed") return refuse("bad_signature", id, fields);
		if (signer === "retired") return refuse("key_retired", id, fields);
		if (fields.status !== "active") return refuse(fields.moderation === "banned" ? "agent_banned" : "agent_suspended", id, fields, GENUINE);
		const refused = this.remember(proof);
		return isLater(refused) ? refused.then((reason) => conclusion(reason, id, fields)) : conclusion(refused, id, fields);
	}
	async judgeRenewed(proof, identity) {
		const newer = await this.source.newer(proof.number, identity);
		if (newer === null || isClientReason(newer)) return refuse("bad_signature", proof.id, identity.fields);
		return newer === "id_unknown" ? refuse(newer) : this.judgeProof(proof, newer, false);
	}
	signerOf({ request, headers, number }, current, identity) {
		const { method, path } = request;
		if (path.length > BOUNDS.targetChars || method.length > BOUNDS.methodChars) return "malformed";
		const { timestamp, nonce } = headers;
		const texts = this.settings.hosts.map((host) => identityString({
			method,
			host,
			path,
			timestamp,
			nonce
		}));
		return this.signatures.signerOf({
			number,
			current,
			retired: identity.retiredKeys
		}, texts, headers.signature);
	}
	/** Remembers the nonce. Returns `null` if it is used for the first time. */
	remember(proof) {
		const { store } = this;
		const { nonce, timestamp } = proof.headers;
		if (store === void 0) {
			const added = this.nonces.add(proof.number, nonce, Number(timestamp), this.clock.seconds());
			return added === "fresh" ? null : added === "replayed" ? "replayed" : "cache_unavailable";
		}
		return this.rememberIn(store, `hub-nonce:${proof.id}:${nonce}`);
	}
	async rememberIn(store, key) {
		try {
			const added = await within(this.settings.storeTimeoutMs, async () => store.add(key, BOUNDS.nonceMemorySeconds));
			return added === true ? null : added === false ? "replayed" : "cache_unavailable";
		} catch {
			return "cache_unavailable";
		}
	}
};

// edge/sdk/verify/record.ts
/** Checks an answer of the hub about one agent, member by member. A malformed member is refused. */
const members = (value) => {
	if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("the answer has the wrong form");
	return value;
};
const dataOf = (answer) => {
	const { ok, data } = members(answer);
	if (ok !== true) throw new Error("the answer has the wrong form");
	return members(data);
};
const expect = (value, holds) => {
	if (!holds(value)) throw new Error("the answer has the wrong form");
	return value;
};
const isText = (max) => (value) => typeof value === "string" && value.length <= max;
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const isUrl = (value) => isText(BOUNDS.urlChars)(value) && /^https?:\/\/[\x21-\x7e]+$/.test(value);
const among = (list) => (value) => list.includes(value);
const orNull = (holds) => (value) => value === null || holds(value);
const fieldsOf = (data, absent) => {
	const or = absent ? orNull : (holds) => holds;
	return {
		handle: expect(data["handle"], or((value) => typeof value === "string" && HANDLE.test(value))),
		name: expect(data["name"], or(isText(BOUNDS.nameChars))),
		trust: expect(data["trust"], or(isNumber)),
		reputation: expect(data["reputation"], or(isNumber)),
		status: expect(data["status"], or(among(STATUSES))),
		moderation: expect(data["moderation"], among(MODERATIONS)),
		profile_url: expect(data["profile_url"], orNull(isUrl)),
		id_url: expect(data["id_url"], or(isUrl))
	};
};
const keyOf = (value) => {
	const key = typeof value === "string" ? decodeText(value, PUBLIC_KEY_BYTES) : null;
	if (key === null) throw new Error("the answer has a key that is none");
	return key;
};
const identityOf = (answer, number) => {
	const data = dataOf(answer);
	if (data["id"] !== number) throw new Error("the answer is about another agent");
	const fields = fieldsOf(data, false);
	if (fields.status === "retired") return {
		fields,
		key: null,
		retiredKeys: NO_KEYS
	};
	const newest = expect(data["keys"], Array.isArray).map(members).filter((key) => key["status"] === "retired").map((key) => ({
		bytes: keyOf(key["public_key"]),
		at: Date.parse(String(key["retired_at"]))
	})).toSorted((one, other) => other.at - one.at).slice(0, BOUNDS.retiredKeysPerAgent).map(({ bytes }) => bytes);
	return {
		fields,
		key: keyOf(data["public_key"]),
		retiredKeys: () => newest
	};
};
/** Checks the hub's own verdict, member by member. Throws if it is malformed. */
const verdictOf = (answer) => {
	const data = dataOf(answer);
	const valid = expect(data["valid"], among([true, false]));
	const reason = expect(data["reason"], valid ? among([null]) : among(VERIFY_REASONS));
	const id = expect(data["id"], (value) => value === null && !valid || typeof value === "string" && AGENT_NUMBER_PATTERN.test(value));
	const fields = fieldsOf(data, !valid);
	if (valid && fields.status !== "active") throw new Error("the answer contradicts itself");
	return {
		valid,
		reason,
		scheme: data["scheme"] === "web-bot-auth" ? "web-bot-auth" : "hub-id",
		id,
		...fields,
		...reason === null ? {} : { message: MESSAGES[reason] },
		...data["announced"] === true ? { announced: true } : {},
		...data["signature_ok"] === true ? { signature_ok: true } : {}
	};
};

// edge/sdk/verify/lookup-source.ts
/** Looks agents up one by one, when they are needed. */
var LookupSource = class {
	/** Ordered by their last use. */
	records = /* @__PURE__ */ new Map();
	underWay = /* @__PURE__ */ new Map();
	lookups = [];
	pause = new Pause();
	closing = new AbortController();
	settings;
	clock;
	constructor(settings, clock) {
		this.settings = settings;
		this.clock = clock;
	}
	find(number) {
		const record = this.records.get(number);
		if (record === void 0) return this.lookUp(number);
		const age = this.settings.now() - record.at;
		const seconds = record.found === "id_unknown" ? BOUNDS.unknownRecordMaxAgeSeconds : BOUNDS.recordMaxAgeSeconds;
		if (age < 0 || age >= seconds * 1e3) return this.lookUp(number);
		this.records.delete(number);
		this.records.set(number, record);
		return record.found;
	}
	async newer(number, seen) {
		const record = this.records.get(number);
		if (record !== void 0 && record.found !== seen) return record.found;
		const age = this.settings.now() - (record?.at ?? 0);
		if (age >= 0 && age < BOUNDS.attemptIntervalSeconds * 1e3) return null;
		const found = await this.lookUp(number);
		return found === "hub_unreachable" || found === "lookup_limited" ? null : found;
	}
	ready() {
		return Promise.resolve(true);
	}
	async settled() {
		await Promise.all(this.underWay.values());
	}
	close() {
		this.closing.abort();
	}
	lookUp(number) {
		const known = this.underWay.get(number);
		if (known !== void 0) return known;
		const now = this.settings.now();
		this.lookups = this.lookups.filter((at) => at <= now && at > now - 6e4);
		if (this.lookups.length >= BOUNDS.lookupsPerMinute || this.pause.lasts(now)) return Promise.resolve("lookup_limited");
		if (this.closing.signal.aborted) return Promise.resolve("hub_unreachable");
		this.lookups.push(now);
		const lookup = within(Math.min(this.settings.waitMs, this.settings.fetchTimeoutMs), (signal) => this.load(number, now, signal), this.closing.signal).catch(() => "hub_unreachable").finally(() => this.underWay.delete(number));
		this.underWay.set(number, lookup);
		return lookup;
	}
	async load(number, asked, signal) {
		const { settings } = this;
		const response = await settings.fetch(`${settings.hub}${API_PREFIX}/id/${agentNumber(number)}`, {
			method: "GET",
			headers: { accept: "application/json" },
			redirect: "manual",
			signal
		});
		this.pause.heed(response, settings.now());
		if (response.status !== 200 && response.status !== 404) {
			discard(response);
			return response.status === 429 ? "lookup_limited" : "hub_unreachable";
		}
		this.clock.learn(response, asked);
		if (response.status === 404) discard(response);
		const found = response.status === 404 ? "id_unknown" : identityOf(await readJson(response, BOUNDS.recordBytes, signal), agentNumber(number));
		this.records.delete(number);
		this.records.set(number, {
			found,
			at: asked
		});
		for (const oldest of this.records.keys()) {
			if (this.records.size <= BOUNDS.records) break;
			this.records.delete(oldest);
		}
		return found;
	}
};

// edge/sdk/verify/half-siphash.ts
/**
* HalfSipHash-2-4 with 64 bits of output. It is a keyed hash, so without the key nobody can choose texts that collide.
*/
/** The two words of the last hash. Returning them as an object would cost as much as the hash. */
var HalfSipHash = class {
	high = 0;
	low = 0;
	/** Hashes ASCII text into `high` (never zero) and `low`. */
	hash(text, k0, k1) {
		let [v0, v1, v2, v3] = [
			k0,
			k1 ^ 238,
			1819895653 ^ k0,
			1952801890 ^ k1
		];
		const words = (text.length >> 2) + 1;
		for (let step = 0; step < words + 2; step++) {
			const word = step < words ? wordOf(text, step * 4) : 0;
			if (step < words) v3 ^= word;
			else if (step === words) v2 ^= 238;
			else {
				this.high = (v1 ^ v3) >>> 0 || 1;
				v1 ^= 221;
			}
			for (let round = step < words ? 2 : 4; round > 0; round--) {
				v0 = v0 + v1 | 0;
				v1 = (v1 << 5 | v1 >>> 27) ^ v0;
				v0 = v0 << 16 | v0 >>> 16;
				v2 = v2 + v3 | 0;
				v3 = (v3 << 8 | v3 >>> 24) ^ v2;
				v0 = v0 + v3 | 0;
				v3 = (v3 << 7 | v3 >>> 25) ^ v0;
				v2 = v2 + v1 | 0;
				v1 = (v1 << 13 | v1 >>> 19) ^ v2;
				v2 = v2 << 16 | v2 >>> 16;
			}
			v0 ^= word;
		}
		this.low = (v1 ^ v3) >>> 0;
	}
};
/** Four characters as a little-endian word. The last word has the length in its top byte. */
const wordOf = (text, at) => {
	const left = text.length - at;
	let word = left < 4 ? text.length << 24 : 0;
	for (let index = Math.min(left, 4) - 1; index >= 0; index--) word |= text.charCodeAt(at + index) << index * 8;
	return word;
};

// edge/sdk/verify/runtime.ts
const runtime = globalThis;

// edge/sdk/verify/nonces.ts
/**
* The memory of used nonces in one process.
*
* Invariants
*  - A nonce is remembered for as long as its timestamp could be accepted again.
*  - If a nonce cannot be remembered, `add` returns `full`. No nonce is forgotten early to make room.
*/
const GENERATION_SECONDS = 60;
const FIRST_SLOTS = 256;
const SHARE_BUCKETS = 4096;
/**
* Stores used nonces as 64-bit hashes, in an open-addressing table for each minute: 11 to 22 bytes a nonce. The hash is
* keyed by a secret of this process, so nobody can choose nonces that collide. A whole minute is forgotten at once,
* when none of its timestamps can be accepted any more. If the clock was set back since, timestamps up to the forgotten
* ones are refused, because their use is no longer known.
*/
var NonceMemory = class {
	size = 0;
	/** Nonces with timestamps up to this one may have been used and forgotten. */
	forgottenUpTo = 0;
	generations = [];
	max;
	perAgent;
	secret = /* @__PURE__ */ new Uint32Array(3);
	keyed = false;
	shares = new Uint32Array(SHARE_BUCKETS);
	hashed = new HalfSipHash();
	constructor(max) {
		this.max = max;
		this.perAgent = Math.max(1, Math.floor(max * BOUNDS.nonceShare));
	}
	add(number, nonce, timestamp, now) {
		this.forget(now);
		if (!this.keyed) this.drawSecret();
		const { hashed } = this;
		hashed.hash(`${number}\n${nonce}`, this.secret[0], this.secret[1]);
		for (const { slots } of this.generations) if (slots[this.place(slots, hashed.high, hashed.low)] !== 0) return "replayed";
		const bucket = Math.imul(number % 4294967296 ^ this.secret[2], 2654435761) >>> 20;
		if (this.size >= this.max || this.shares[bucket] >= this.perAgent) return "full";
		const generation = this.generationOf(now);
		if ((generation.size + 1) * 8 > generation.slots.length * 3) this.grow(generation);
		const at = this.place(generation.slots, hashed.high, hashed.low);
		generation.slots[at] = hashed.high;
		generation.slots[at + 1] = hashed.low;
		generation.size++;
		generation.latestTimestamp = Math.max(generation.latestTimestamp, timestamp);
		generation.shares[bucket] = generation.shares[bucket] + 1;
		this.shares[bucket] = this.shares[bucket] + 1;
		this.size++;
		return "fresh";
	}
	/** The secret is drawn with the first nonce, because Workers have no randomness while they start. */
	drawSecret() {
		runtime.crypto?.getRandomValues(this.secret);
		this.keyed = true;
	}
	forget(now) {
		const keep = [];
		for (const generation of this.generations) {
			if (generation.from > now) generation.from = now;
			if (generation.from + GENERATION_SECONDS + BOUNDS.nonceMemorySeconds > now) keep.push(generation);
			else this.drop(generation, now);
		}
		if (keep.length !== this.generations.length) this.generations = keep;
	}
	drop(generation, now) {
		this.size -= generation.size;
		for (let bucket = 0; bucket < SHARE_BUCKETS; bucket++) this.shares[bucket] = this.shares[bucket] - generation.shares[bucket];
		if (generation.latestTimestamp <= now + BOUNDS.windowSeconds) this.forgottenUpTo = Math.max(this.forgottenUpTo, generation.latestTimestamp);
	}
	generationOf(now) {
		const from = now - now % GENERATION_SECONDS;
		const known = this.generations.find((generation) => generation.from === from);
		if (known !== void 0) return known;
		const fresh = {
			from,
			slots: new Uint32Array(FIRST_SLOTS * 2),
			size: 0,
			shares: new Uint32Array(SHARE_BUCKETS),
			latestTimestamp: 0
		};
		this.generations.unshift(fresh);
		return fresh;
	}
	/** The index of the hash, or of the empty place for it. */
	place(slots, high, low) {
		const mask = slots.length / 2 - 1;
		for (let index = low & mask;; index = index + 1 & mask) {
			const at = index * 2;
			if (slots[at] === 0 || slots[at] === high && slots[at + 1] === low) return at;
		}
	}
	grow(generation) {
		const { slots } = generation;
		const bigger = new Uint32Array(slots.length * 2);
		for (let at = 0; at < slots.length; at += 2) {
			const [high, low] = [slots[at], slots[at + 1]];
			if (high === 0) continue;
			const place = this.place(bigger, high, low);
			bigger[place] = high;
			bigger[place + 1] = low;
		}
		generation.slots = bigger;
	}
};

// edge/sdk/verify/online-judge.ts
/** Asks the hub for each verdict. */
const USER_AGENT = HEADER_NAMES.indexOf("user-agent");
var OnlineJudge = class {
	pause = new Pause();
	underWay = /* @__PURE__ */ new Set();
	closing = new AbortController();
	settings;
	constructor(settings) {
		this.settings = settings;
	}
	async judge(request) {
		const fields = readFields(request.headers, PROOF_HEADERS);
		if (fields.every((text, index) => text === null || index === USER_AGENT) && announcedNumber(fields[USER_AGENT] ?? "") === null) return refuse("headers_missing");
		const headers = Object.fromEntries(PROOF_HEADERS.map((name, index) => [name, fields[index]]).filter(([, text]) => text !== null));
		let verdict = null;
		for (const host of this.settings.hosts) {
			verdict = await this.ask({
				method: request.method,
				host,
				path: request.path,
				headers
			});
			if (verdict?.reason !== "bad_signature") break;
		}
		return verdict ?? refuse("hub_unreachable");
	}
	async settled() {
		await Promise.all(this.underWay);
	}
	close() {
		this.closing.abort();
	}
	async ask(body) {
		const { settings } = this;
		if (this.pause.lasts(settings.now()) || this.underWay.size >= BOUNDS.waitingChecks || this.closing.signal.aborted) return null;
		const asked = within(Math.min(settings.waitMs, settings.fetchTimeoutMs), async (signal) => {
			const response = await settings.fetch(`${settings.hub}${API_PREFIX}/id/verify`, {
				method: "POST",
				headers: {
					accept: "application/json",
					"content-type": "application/json"
				},
				body: JSON.stringify(body),
				redirect: "manual",
				signal
			});
			this.pause.heed(response, settings.now());
			if (response.status === 200) return verdictOf(await readJson(response, BOUNDS.verdictBytes, signal));
			discard(response);
			return null;
		}, this.closing.signal).catch(() => null);
		this.underWay.add(asked);
		try {
			return await asked;
		} finally {
			this.underWay.delete(asked);
		}
	}
};

// schemas/text.ts
/**
* Removes all repetitions of `mark` at the end of `text`. A regular expression would take quadratic time for a text
* with many marks inside.
*/
const withoutTrailing = (text, mark) => {
	let end = text.length;
	while (end > 0 && text[end - 1] === mark) end--;
	return text.slice(0, end);
};

// edge/sdk/verify/settings.ts
/** Checks the options of a verifier and adds the defaults. */
const LOOPBACK = /^(localhost|127(\.[0-9]{1,3}){3}|\[::1\])$/;
const hubOf = (text, allowInsecure) => {
	let url;
	try {
		url = new URL(text);
	} catch {
		throw misuse("`hub` must be the hub's address, as https://hub.example");
	}
	if (!(url.protocol === "https:" || url.protocol === "http:" && (allowInsecure || LOOPBACK.test(url.hostname)))) throw misuse("`hub` must be an https address");
	if (url.username + url.password + url.search + url.hash !== "") throw misuse("`hub` must have no credentials, query or fragment");
	return url.origin + withoutTrailing(url.pathname, "/");
};
const hostsOf = (hosts) => {
	if (!Array.isArray(hosts) || hosts.length === 0 || hosts.length > BOUNDS.hosts) throw misuse(`\`hosts\` must name 1 to ${BOUNDS.hosts} hosts`);
	const normalised = hosts.map((host) => {
		const name = normaliseHost(String(host));
		if (name === null) throw misuse(`\`hosts\`: ${JSON.stringify(host)} is no host name`);
		return name;
	});
	return [...new Set(normalised)];
};
const positive = (name, value, otherwise) => {
	if (value === void 0) return otherwise;
	if (typeof value !== "number" || !(value > 0) || !Number.isFinite(value)) throw misuse(`\`${name}\` must be a number above 0`);
	return value;
};
const settingsOf = (options) => {
	const fetch = options.fetch ?? ((url, init) => runtime.fetch(url, init));
	if (typeof fetch !== "function") throw misuse("`fetch` must be a function");
	return {
		hub: hubOf(options.hub, options.allowInsecureHub === true),
		hosts: hostsOf(options.hosts),
		fetch,
		now: options.now ?? Date.now,
		clock: options.clock ?? "hub",
		maxStaleMs: positive("maxStaleSeconds", options.maxStaleSeconds, 3600) * 1e3,
		fetchTimeoutMs: positive("fetchTimeoutMs", options.fetchTimeoutMs, 6e4),
		waitMs: positive("waitMs", options.waitMs, 1e4),
		storeTimeoutMs: positive("storeTimeoutMs", options.storeTimeoutMs, 1e3),
		maxDirectoryBytes: positive("maxDirectoryBytes", options.maxDirectoryBytes, 1073741824),
		maxAgents: positive("maxAgents", options.maxAgents, 1e6)
	};
};

// edge/sdk/verify/ed25519.ts
/**
* Ed25519 verification: the runtime's own, synchronous if possible, or else the implementation that the website
* provides.
*/
const nodeBackend = (crypto) => ({
	sync: true,
	prepare: (publicKey) => {
		const key = new Uint8Array(SPKI_PREFIX.length + PUBLIC_KEY_BYTES);
		key.set(SPKI_PREFIX);
		key.set(publicKey, SPKI_PREFIX.length);
		return crypto.createPublicKey({
			key,
			format: "der",
			type: "spki"
		});
	},
	verify: (signature, message, key) => crypto.verify(null, message, key, signature)
});
const subtleBackend = (subtle) => ({
	sync: false,
	prepare: (publicKey) => subtle.importKey("raw", publicKey.slice(), "Ed25519", false, ["verify"]),
	verify: (signature, message, key) => subtle.verify("Ed25519", key, signature, message)
});
const givenBackend = (given) => ({
	sync: false,
	prepare: (publicKey) => publicKey.slice(),
	verify: (signature, message, key) => given.verify(signature, message, key)
});
/** A valid signature of the empty text (RFC 8032, 7.1, test 1). */
const PROBE = {
	key: "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo",
	signature: "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw"
};
/** A backend must distinguish a valid signature from an invalid one before it is used. */
const confirms = async (backend) => {
	try {
		const [key, signature] = [decodeText(PROBE.key, PUBLIC_KEY_BYTES), decodeText(PROBE.signature, SIGNATURE_BYTES)];
		if (key === null || signature === null) return false;
		const prepared = await backend.prepare(key);
		const [empty, other] = [/* @__PURE__ */ new Uint8Array(0), /* @__PURE__ */ new Uint8Array(1)];
		return await backend.verify(signature, empty, prepared) === true && await backend.verify(signature, other, prepared) === false;
	} catch {
		return false;
	}
};
const chooseBackend = async (given) => {
	const node = runtime.process?.getBuiltinModule?.("node:crypto");
	const subtle = runtime.crypto?.subtle;
	const candidates = [
		typeof node?.verify === "function" && typeof node.createPublicKey === "function" ? nodeBackend(node) : null,
		subtle === void 0 ? null : subtleBackend(subtle),
		given === void 0 ? null : givenBackend(given)
	];
	for (const backend of candidates) if (backend !== null && await confirms(backend)) return backend;
	throw misuse("this runtime has no Ed25519 of its own: pass one as the option `ed25519`");
};

// edge/sdk/verify/signatures.ts
/** Finds which of an agent's keys made a signature. */
const sameBytes = (one, other) => {
	for (let index = 0; index < PUBLIC_KEY_BYTES; index++) if (one[index] !== other[index]) return false;
	return true;
};
const encoder = new TextEncoder();
/**
* Finds which of an agent's keys made a signature. Imported keys are cached, because importing one costs a quarter of a
* verification. Two generations bound the cache. Retired keys are imported each time, because they are rarely used.
*/
var Signatures = class {
	backend = null;
	choosing = null;
	young = /* @__PURE__ */ new Map();
	old = /* @__PURE__ */ new Map();
	given;
	keysMax;
	signature = new Uint8Array(SIGNATURE_BYTES);
	message = /* @__PURE__ */ new Uint8Array(1024);
	constructor(given, keysMax) {
		this.given = given;
		this.keysMax = keysMax;
	}
	/** `texts` are the possible signed texts, one for each host. */
	signerOf(keys, texts, signature) {
		const { backend } = this;
		return backend?.sync === true ? this.signerNow(backend, keys, texts, signature) : this.signerLater(keys, texts, signature);
	}
	/** Nothing is awaited here, so all checks can share one buffer. A new one for each check would double the cost. */
	signerNow(backend, keys, texts, signature) {
		if (!decodeInto(signature, this.signature)) return "malformed";
		if (this.holdsNow(backend, () => this.keyOf(backend, keys.number, keys.current), texts)) return "current";
		for (const key of keys.retired()) if (this.holdsNow(backend, () => backend.prepare(key), texts)) return "retired";
		return "nobody";
	}
	holdsNow(backend, keyOf, texts) {
		try {
			const key = keyOf();
			for (const text of texts) {
				if (text.length * 3 > this.message.length) this.message = new Uint8Array(text.length * 3);
				const { written } = encoder.encodeInto(text, this.message);
				if (backend.verify(this.signature, this.message.subarray(0, written), key) === true) return true;
			}
		} catch {}
		return false;
	}
	async signerLater(keys, texts, text) {
		const backend = this.backend ?? await this.choose();
		const signature = decodeText(text, SIGNATURE_BYTES);
		if (signature === null) return "malformed";
		const messages = texts.map((one) => encoder.encode(one));
		const holds = async (keyOf) => {
			try {
				const key = await keyOf();
				for (const message of messages) if (await backend.verify(signature, message, key) === true) return true;
			} catch {}
			return false;
		};
		if (await holds(() => this.keyOf(backend, keys.number, keys.current))) return "current";
		for (const key of keys.retired()) if (await holds(() => backend.prepare(key))) return "retired";
		return "nobody";
	}
	async choose() {
		this.choosing ??= chooseBackend(this.given);
		this.backend = await this.choosing;
		return this.backend;
	}
	keyOf(backend, number, publicKey) {
		const known = this.young.get(number);
		if (known !== void 0 && sameBytes(known.bytes, publicKey)) return known.key;
		const older = this.old.get(number);
		const entry = older !== void 0 && sameBytes(older.bytes, publicKey) ? older : {
			bytes: publicKey.slice(),
			key: backend.prepare(publicKey)
		};
		if (this.young.size >= this.keysMax / 2) {
			this.old = this.young;
			this.young = /* @__PURE__ */ new Map();
		}
		this.young.set(number, entry);
		return entry.key;
	}
};

// edge/sdk/verify/create.ts
/**
* Builds a verifier from its parts.
*
* Invariants
*  - Every request gets a verdict. Only a mistake of the website's own code is thrown.
*/
const createVerifier = (options) => {
	const settings = settingsOf(options);
	const nonces = new NonceMemory(positive("maxNonces", options.maxNonces, 1e6));
	const signatures = new Signatures(options.ed25519, positive("maxCachedKeys", options.maxCachedKeys, 1e4));
	const clock = new HubClock(settings);
	const mode = options.mode ?? "directory";
	if (mode === "online") {
		const judge = new OnlineJudge(settings);
		return verifierOf(judge, {
			ready: () => Promise.resolve(true),
			settled: () => judge.settled(),
			close: () => judge.close()
		}, () => stateOf(null, nonces, clock));
	}
	if (mode !== "directory" && mode !== "lookup") throw misuse("`mode` must be directory, lookup or online");
	const source = mode === "directory" ? new DirectorySource(settings, clock) : new LookupSource(settings, clock);
	const judge = new LocalJudge(settings, source, clock, {
		signatures,
		nonces,
		store: options.store
	});
	return verifierOf(judge, source, () => stateOf(source instanceof DirectorySource ? source : null, nonces, clock));
};
const verifierOf = (judge, source, state) => ({
	check: async (request, options) => judge.judge(readRequest(request, options)),
	ready: () => source.ready(),
	settled: () => source.settled(),
	state,
	close: () => source.close()
});
const stateOf = (source, nonces, clock) => {
	const directory = source?.directory ?? null;
	nonces.forget(clock.seconds());
	return {
		agents: directory?.count ?? null,
		generated_at: directory === null ? null : new Date(directory.generatedAt).toISOString(),
		age_seconds: source === null || directory === null ? null : Math.floor(source.ageMs() / 1e3),
		nonces: nonces.size,
		clock_ahead_ms: clock.aheadMs
	};
};

export { BOUNDS, CLIENT_REASONS, VERIFY_REASONS as REASONS, announcedNumber, createVerifier, express, fetchHandler, agentNumber as formatNumber, hono, identityString, normaliseHost, parseAgentNumber as parseNumber, statusOf };
