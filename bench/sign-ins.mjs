#!/usr/bin/env node
// Measures requests with an access token of an issuer and with an app password. The baseline is requests with a remembered main
// password. Part of run.mjs; also alone:
//   node bench/sign-ins.mjs [--seconds N] [--rounds N]
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { ADMIN, startGateway } from '../scripts/gateway-process.mjs';
import { combined, measure } from './measure.mjs';
import { printRow, printTitle } from './report.mjs';
import { bytesOf } from './world.mjs';

const CONNECTIONS = 16;
const AUDIENCE = 'bench';
const GROUPS = 20;
const SLICES = 4;
const CAPABILITIES = '/ocs/v2.php/cloud/capabilities?format=json';
const BASIC = `Basic ${Buffer.from(`${ADMIN.user}:${ADMIN.password}`).toString('base64')}`;

/** The cases for the option --case and for the report. */
export const SIGN_INS = { case: 'sign-in remembered, beside Basic', format: 'json', aim: 0.9 };

/** An issuer that serves its document and its key: it is called once, and not measured. */
async function startIssuer() {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const key = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS256' };
  const server = createServer((request, reply) => {
    const document = { issuer: name, jwks_uri: `${name}/keys` };
    reply.end(JSON.stringify(request.url === '/keys' ? { keys: [key] } : document));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const name = `http://127.0.0.1:${server.address().port}`;
  const groups = Array.from({ length: GROUPS }, (_, index) => `group-${index}`);
  const token = await new SignJWT({ preferred_username: 'bearer', groups })
    .setProtectedHeader({ alg: 'RS256', kid: 'bench' })
    .setIssuer(name)
    .setAudience(AUDIENCE)
    .setSubject('subject-of-the-bench')
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
  return { name, token, close: () => server.close() };
}

const requestBy = (authorization) => ({ method: 'GET', path: CAPABILITIES, headers: { authorization } });

async function appPasswordOf(gateway) {
  const path = '/ocs/v2.php/core/getapppassword?format=json';
  return JSON.parse(await bytesOf(gateway, { ...requestBy(BASIC), path })).ocs.data.apppassword;
}

const PEOPLE = 5;
const EACH = 200;
const FIRST_AIM_MS = 1;

/** Users with app passwords that no process has verified yet. */
async function madeAppPasswords(gateway) {
  const made = [];
  for (let person = 0; person < PEOPLE; person++) {
    const [userid, password] = [`first-${person}`, `a password of first-${person}`];
    const headers = { authorization: BASIC, 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ userid, password }).toString();
    await bytesOf(gateway, { method: 'POST', path: '/ocs/v2.php/cloud/users?format=json', headers, body });
    const own = `Basic ${Buffer.from(`${userid}:${password}`).toString('base64')}`;
    for (let at = 0; at < EACH; at++) {
      const path = '/ocs/v2.php/core/getapppassword?format=json';
      const { ocs } = JSON.parse(await bytesOf(gateway, { ...requestBy(own), path }));
      made.push(`Basic ${Buffer.from(`${userid}:${ocs.data.apppassword}`).toString('base64')}`);
    }
  }
  return made;
}

/** All requests at once, each with an app password that is used for the first time. @returns milliseconds for all */
async function allAtOnce(gateway, authorizations) {
  const beganAt = performance.now();
  const replies = await Promise.all(
    authorizations.map((authorization) => fetch(gateway.url + CAPABILITIES, { headers: { authorization } })),
  );
  await Promise.all(replies.map((reply) => reply.arrayBuffer()));
  const refused = replies.filter(({ status }) => status !== 200);
  if (refused.length > 0) throw new Error(`${refused.length} sign-ins were answered ${refused[0].status}`);
  return performance.now() - beganAt;
}

/** Sends 1,000 first sign-ins at once, and prints how much more one costs than the same request later. */
async function measureFirstSignIns() {
  // All requests come from one address here.
  const connections = { CONNECTIONS_PER_ADDRESS: String(2 * PEOPLE * EACH) };
  const gateway = await startGateway({ COMPATIBILITY: 'owncloud10', ...connections });
  try {
    const authorizations = await madeAppPasswords(gateway);
    // Opens the connections first, because they are not part of a sign-in.
    await allAtOnce(gateway, Array(authorizations.length).fill(BASIC));
    const first = await allAtOnce(gateway, authorizations);
    const later = await allAtOnce(gateway, authorizations);
    return { signIns: authorizations.length, first, later, more: (first - later) / authorizations.length };
  } finally {
    await gateway.stop();
  }
}

/** In turn and in short slices, so that other load of the machine affects all. */
async function measureAll(gateway, requests, size) {
  const [seconds, rounds] = [size.seconds / SLICES, size.rounds * SLICES];
  const parts = Object.fromEntries(Object.keys(requests).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++)
    for (const [name, request] of Object.entries(requests)) {
      const part = await measure(gateway, request, { connections: CONNECTIONS, seconds });
      // The first measurement only warms up.
      if (round > 0) parts[name].push(part);
    }
  return parts;
}

/**
 * @param {{seconds: number, rounds: number}} size
 * @returns rows as in results/latest.json
 */
export async function measureSignIns(size) {
  const issuer = await startIssuer();
  const gateway = await startGateway({
    COMPATIBILITY: 'owncloud10',
    OIDC_ISSUER: issuer.name,
    OIDC_AUDIENCE: AUDIENCE,
    OIDC_GROUPS_CLAIM: 'groups',
  });
  try {
    const appPassword = Buffer.from(`${ADMIN.user}:${await appPasswordOf(gateway)}`).toString('base64');
    const parts = await measureAll(
      gateway,
      {
        basic: requestBy(BASIC),
        bearer: requestBy(`Bearer ${issuer.token}`),
        'app password': requestBy(`Basic ${appPassword}`),
      },
      size,
    );
    const { perSecond: baseline } = combined(parts.basic);
    return ['bearer', 'app password'].map((name) => {
      const { perSecond: product, ...figures } = combined(parts[name]);
      const { format } = SIGN_INS;
      return {
        case: `${SIGN_INS.case}: ${name}`,
        format,
        connections: CONNECTIONS,
        product,
        baseline,
        ratio: product / baseline,
        ...figures,
      };
    });
  } finally {
    await gateway.stop();
    issuer.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '3' }, rounds: { type: 'string', default: '3' } },
  });
  printTitle();
  const size = { seconds: Number(values.seconds), rounds: Number(values.rounds) };
  for (const row of await measureSignIns(size)) printRow(row, SIGN_INS.aim);
  const { signIns, first, later, more } = await measureFirstSignIns();
  const [firstMs, laterMs] = [first, later].map(Math.round);
  console.log(
    `${signIns} first sign-ins at once: ${firstMs} ms, later ${laterMs} ms; one costs ${more.toFixed(2)} ms more (aim: below ${FIRST_AIM_MS})`,
  );
}
