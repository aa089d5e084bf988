#!/usr/bin/env node
// Requests by an access token of an issuer and by an app password, beside those by a main password that is remembered. Part of run.mjs;
// also alone:
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

/** The cases as they are chosen and reported. */
export const SIGN_INS = { case: 'sign-in remembered, beside Basic', format: 'json', aim: 0.9 };

/** An issuer that shows its document and its key: it is asked once, and not measured. */
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

/** In turn and in short slices: other load of the machine meets all. */
async function measureAll(gateway, requests, size) {
  const [seconds, rounds] = [size.seconds / SLICES, size.rounds * SLICES];
  const parts = Object.fromEntries(Object.keys(requests).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++)
    for (const [name, request] of Object.entries(requests)) {
      const part = await measure(gateway, request, { connections: CONNECTIONS, seconds });
      // The first one warms up.
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
}
