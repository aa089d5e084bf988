#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Account } from './ocm-conformance/account.mjs';
import { startPartner } from './ocm-conformance/partner.mjs';
import { countsOf, runChecks, tableOf } from './ocm-conformance/run.mjs';
import { World } from './ocm-conformance/world.mjs';

const USAGE = `Checks a server against the MUST and SHOULD sentences of Open Cloud Mesh 1.4.

  npm run ocm-conformance -- URL [options]

  URL                   the server, such as https://cloud.example.org
  --listen HOST:PORT    where this program listens as two other servers, at this port and the next; they publish their keys
  --at URL              how the tested server reaches it, if not at that address: https://tester.example.org:8443
  --tls CERT,KEY        certificate and key, as PEM files; it then listens by https
  --recipient ID        an account of the tested server: test shares are offered to it, and ended afterwards
  --account USER:PASS   an account of the tested server, mostly that of --recipient: it shares, accepts and reads, by the
                        calls of ownCloud and Nextcloud
  --wait SECONDS        how long to wait for a message of the tested server (20)
  --invitation TEXT     an unused invitation of an account of the tested server, for the checks of invitations
  --json FILE           also writes the results to this file
  --strict              a failed SHOULD or stated behaviour also makes the exit code 1

A check that needs a missing option is reported as not run. Exit code: 0 if no MUST failed, else 1; 2 for a wrong command
line. Without --recipient, --account and --invitation nothing is changed at the tested server.`;

const OPTIONS = {
  listen: { type: 'string' },
  at: { type: 'string' },
  tls: { type: 'string' },
  recipient: { type: 'string' },
  account: { type: 'string' },
  wait: { type: 'string', default: '20' },
  invitation: { type: 'string' },
  json: { type: 'string' },
  strict: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
};

function readArguments() {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  if (values.help) return { ...values };
  const [url, ...rest] = positionals;
  if (rest.length > 0 || !URL.canParse(url ?? '')) throw new Error('give the address of one server');
  if ((values.recipient ?? values.invitation ?? values.account) !== undefined && values.listen === undefined)
    throw new Error('--recipient, --invitation and --account need --listen');
  if (values.listen !== undefined && !/^.+:\d+$/.test(values.listen))
    throw new Error('--listen is HOST:PORT');
  return { url, ...values };
}

/** The servers that the tested server exchanges messages with: at the given port, and at the next one. */
async function startPartners({ listen, at, tls }) {
  if (listen === undefined) return [];
  const [, host, first] = /^(.+):(\d+)$/.exec(listen) ?? [];
  const [cert, key] = tls?.split(',') ?? [];
  const secure = tls && { cert, key };
  const started = [];
  for (const step of [0, 1]) {
    const port = Number(first) + step;
    const more = { criteria: ['must-exchange-token'], shareTypes: ['user', 'group'], opensWebapps: true };
    const demands = step === 0 ? {} : more;
    started.push(
      await startPartner({ listen: host, port, at: at && stepped(at, step), tls: secure, ...demands }),
    );
  }
  return started;
}

function stepped(address, step) {
  const url = new URL(address);
  if (step > 0) url.port = String(Number(url.port || (url.protocol === 'https:' ? 443 : 80)) + step);
  return url.origin;
}

async function main(given) {
  const partners = await startPartners(given);
  const [partner, other] = partners;
  try {
    const account = given.account && new Account(given.url.replace(/\/+$/, ''), given.account);
    const world = new World({ ...given, partner, other, account, patience: Number(given.wait) });
    const results = await runChecks(world);
    console.log(`${tableOf(results)}\n\n${countsOf(results).join('\n')}`);
    if (given.json) writeFileSync(given.json, JSON.stringify(results, null, 2));
    const counts = given.strict ? () => true : ({ level }) => level === 'MUST';
    return results.some((one) => one.result === 'failed' && counts(one)) ? 1 : 0;
  } finally {
    await Promise.all(partners.map((one) => one.stop()));
  }
}

function read() {
  try {
    return readArguments();
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

const given = read();
if (given.help) console.log(USAGE);
else process.exitCode = await main(given);
