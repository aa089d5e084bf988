#!/usr/bin/env node
// Runs the conformance kit against a fresh gateway, in both compatibility modes, with a second one as its partner.
//   node scripts/conformance.mjs [--mode owncloud10|documented] [--area A,B] [--only ID,ID*] [--json FILE] [any option of the kit]
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMIN, repository, startGateway, temporaryDirectory } from './gateway-process.mjs';

/** Areas of the kit that the gateway must pass. A new feature adds its area here. */
const AREAS = [
  ...['envelope', 'auth', 'capabilities', 'provisioning'],
  ...['create-user', 'get', 'accept', 'delete', 'list', 'update', 'file-effects', 'received-names', 'expiry'],
  ...['create-group', 'membership', 'merge', 'reshare', 'restrictions', 'sharees'],
  ...['create-link', 'link-update', 'reshare-link'],
  ...['server-to-server', 'remote-shares', 'federation'],
];
/** Gateways on one machine call each other by http at a loopback address. */
const PARTNERS_HERE = { FEDERATION_ALLOW_HTTP: 'true', FEDERATION_ALLOW_ADDRESSES: '127.0.0.0/8' };

/** Faults of a deployed server that other servers should not copy. */
const NOT_TAGS = ['oc10-quirk'];

const MODES = {
  owncloud10: { flavour: 'oc10', areas: AREAS },
  documented: { flavour: 'gateway', areas: [...AREAS, 'documented'] },
};

/**
 * A case that searches for two letters. It fails if the kit's own names contain them, because then more accounts match than a page has: the
 * kit makes its names from the time and from chance.
 */
const CHANCE = { id: 'SEE-028', name: /"k[0-9a-z]*zy[0-9a-z]*"/ };
const isChance = ({ id, result, detail }) =>
  result === 'failed' && id.startsWith(`${CHANCE.id}.`) && CHANCE.name.test(detail);

/** Removes `--mode` and `--json` from the command line; the kit gets the rest. */
function readArguments(given) {
  const passed = [...given];
  const take = (option) => {
    const at = passed.indexOf(option);
    if (at === -1) return undefined;
    const [, value] = passed.splice(at, 2);
    if (value === undefined) throw new Error(`${option} needs a value`);
    return value;
  };
  const mode = take('--mode');
  if (mode !== undefined && MODES[mode] === undefined)
    throw new Error(`--mode is ${Object.keys(MODES).join(' or ')}`);
  return { modes: mode === undefined ? Object.keys(MODES) : [mode], jsonFile: take('--json'), passed };
}

function runKit(gateway, partner, mode, passed, resultFile) {
  const { flavour, areas } = MODES[mode];
  const chosen = ['--area', '--only'].some((option) => passed.includes(option))
    ? []
    : ['--area', areas.join(',')];
  const kit = join(repository, 'test/conformance');
  const options = [
    ...[
      '--base',
      gateway.url,
      '--admin',
      `${ADMIN.user}:${ADMIN.password}`,
      '--hooks',
      join(kit, 'hooks/gateway.mjs'),
    ],
    ...['--flavour', flavour, '--not-tag', NOT_TAGS.join(','), '--json', resultFile],
    ...['--base2', partner.url],
    // Both gateways are removed with all their content.
    '--no-cleanup',
    // A machine under load may be ten times slower than a quiet one.
    ...['--timeout', '120'],
    ...chosen,
    ...passed,
  ];
  const expire = `env DATA_DIR=${gateway.dataDir} ${join(repository, 'bin/drawbridge')} share expire {id}`;
  const child = spawn(process.execPath, [join(kit, 'run.mjs'), ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, GATEWAY_EXPIRE: expire },
  });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
  return new Promise((done) => child.once('close', (code) => done({ code, said: Buffer.concat(said) })));
}

/** @returns the kit's result for each case; undefined if it could not run */
async function checkMode(mode, passed) {
  const directory = temporaryDirectory('conformance');
  const resultFile = join(directory, 'results.json');
  const environment = { COMPATIBILITY: mode, ...PARTNERS_HERE };
  const gateway = await startGateway(environment);
  const partner = await startGateway(environment);
  try {
    const { code, said } = await runKit(gateway, partner, mode, passed, resultFile);
    console.log(`\n=== COMPATIBILITY=${mode}`);
    process.stdout.write(said);
    // Without results, as for --help, the other mode still stops its gateways.
    if ((code !== 0 && code !== 1) || !existsSync(resultFile)) return [];
    const { results } = JSON.parse(readFileSync(resultFile, 'utf8'));
    return results;
  } finally {
    await Promise.all([gateway.stop(), partner.stop()]);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The results of a mode, where cases that failed by chance were run again with other names and on other gateways. */
async function decideMode(mode, passed) {
  const results = await checkMode(mode, passed);
  if (!results.some(isChance)) return results;
  console.log(
    `The names of this run contain what ${CHANCE.id} searches for. It runs again with other names.`,
  );
  const repeated = await checkMode(mode, [...passed, '--only', CHANCE.id]);
  const again = new Map(repeated.map((result) => [result.id, result]));
  return results.map((result) => (isChance(result) ? (again.get(result.id) ?? result) : result));
}

const { modes, jsonFile, passed } = readArguments(process.argv.slice(2));
const all = [];
// Both modes run at the same time: each waits for its gateways half of the time.
const resultsOf = await Promise.all(modes.map((mode) => decideMode(mode, passed)));
for (const [index, results] of resultsOf.entries()) {
  if (results.length === 0 || results.some(({ result }) => result === 'failed')) process.exitCode = 1;
  all.push(...results.map((result) => ({ mode: modes[index], ...result })));
}
if (jsonFile !== undefined) writeFileSync(jsonFile, `${JSON.stringify(all, null, 1)}\n`);
const count = (outcome) => all.filter(({ result }) => result === outcome).length;
console.log(`\n${modes.join(' and ')}:`);
console.log(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
