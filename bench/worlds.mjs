// The sets of data of the measurements, each with its gateway and its baseline.
import { SHARE_CASES } from './cases.mjs';
import { DIRECTORY_CASES } from './cases-directory.mjs';
import { EMPTY_INBOX_CASES, FULL_INBOX_CASES } from './cases-federation.mjs';
import { FILES_CASES, LARGE_FILES_CASES } from './cases-files.mjs';
import { PARTNER_CASES } from './cases-partner.mjs';
import { ACTORS, seed } from './seed.mjs';
import { DIRECTORY_ACTORS, seedDirectory } from './seed-directory.mjs';
import { FEDERATION_ACTORS, seedFederation, STORED } from './seed-federation.mjs';
import { FILES_ACTORS, seedFiles, seedLargeFiles } from './seed-files.mjs';
import { ENCRYPTION_KEY, PARTNER_ACTORS, seedPartner } from './seed-partner.mjs';

const federationWorld = (stored, cases) => ({
  seed: seedFederation(stored),
  actors: FEDERATION_ACTORS,
  baseline: 'baseline-federation.mjs',
  cases,
  connections: [1, 16],
  environment: { FEDERATION_ALLOW_HTTP: 'true', FEDERATION_ALLOW_ADDRESSES: '127.0.0.0/8' },
});

/** Each has a separate gateway, so that memory of earlier measurements does not count. */
export const WORLDS = [
  {
    seed,
    actors: ACTORS,
    baseline: 'baseline.mjs',
    cases: SHARE_CASES,
    connections: [1, 16, 64],
  },
  {
    seed: seedDirectory,
    actors: DIRECTORY_ACTORS,
    baseline: 'baseline-directory.mjs',
    cases: DIRECTORY_CASES,
    connections: [1, 16],
  },
  {
    seed: seedPartner,
    actors: PARTNER_ACTORS,
    baseline: 'baseline-partner.mjs',
    cases: PARTNER_CASES,
    connections: [1, 16],
    environment: { ENCRYPTION_KEY },
  },
  {
    seed: seedFiles,
    actors: FILES_ACTORS,
    baseline: 'baseline-files.mjs',
    cases: FILES_CASES,
    connections: [1, 16],
  },
  {
    seed: seedLargeFiles,
    actors: FILES_ACTORS,
    baseline: 'baseline-files.mjs',
    cases: LARGE_FILES_CASES,
    connections: [1],
  },
  federationWorld(0, EMPTY_INBOX_CASES),
  federationWorld(STORED, FULL_INBOX_CASES),
];
