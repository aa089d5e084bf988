import { explainFailure } from './boot-failure';
import { readConfig } from './config/read-config';

const config = readConfig({ DATABASE_URL: 'postgres://u:secret@db.example.org/x' });
const failure = (fields: object): Error => Object.assign(new Error('spec'), fields);
const refused = (address: string, port: number) =>
  failure({ code: 'ECONNREFUSED', syscall: 'connect', address, port });

describe('a failed connection', () => {
  it.each([
    ['to the database', refused('192.0.2.1', 5432)],
    [
      'to the database at several addresses',
      failure({ code: 'ECONNREFUSED', errors: [refused('::1', 5432)] }),
    ],
    ['that was open', failure({ code: 'ECONNRESET', syscall: 'read' })],
  ])('%s is explained by DATABASE_URL', (_what, error) => {
    expect(explainFailure(error, config)).toBe(
      'The database at db.example.org cannot be reached: start it, or correct DATABASE_URL.',
    );
  });

  it.each([
    ['to another server', refused('192.0.2.2', 9000)],
    [
      'to another server at several addresses',
      failure({ code: 'ECONNREFUSED', errors: [refused('192.0.2.2', 9000)] }),
    ],
  ])('%s is explained by the address of that server', (_what, error) => {
    const sentence =
      'The server at 192.0.2.2:9000 cannot be reached (ECONNREFUSED): start it, or correct the variable with its address.';
    expect(explainFailure(error, config)).toBe(sentence);
    expect(explainFailure(error, readConfig({}))).toBe(sentence);
  });

  it.each([
    ['db.example.org', 'The host db.example.org of DATABASE_URL is not known: correct DATABASE_URL.'],
    ['s3.example.org', 'The host s3.example.org is not known: correct the variable with its address.'],
  ])('to the unknown host %s names it', (hostname, sentence) => {
    expect(explainFailure(failure({ code: 'ENOTFOUND', hostname }), config)).toBe(sentence);
  });
});

describe('a full disk of the database', () => {
  it.each([
    [config, 'The disk of the database at db.example.org is full: free some space there.'],
    [
      readConfig({ DATA_DIR: '/srv/data' }),
      'The disk of DATA_DIR /srv/data is full: free some space, or set DATA_DIR to another disk.',
    ],
  ])('is explained by its place', (settings, sentence) => {
    expect(explainFailure(failure({ code: '53100' }), settings)).toBe(sentence);
  });
});

describe('a full or read-only disk', () => {
  const apart = readConfig({ DATA_DIR: '/srv/data', BLOB_STORE: 'file:/mnt/blobs' });
  const together = readConfig({ DATA_DIR: '/srv/data' });

  it.each([
    ['of the contents', apart, '/mnt/blobs/ab', 'BLOB_STORE /mnt/blobs', 'BLOB_STORE'],
    ['of the data', apart, '/srv/data/postgres', 'DATA_DIR /srv/data', 'DATA_DIR'],
    [
      'that is not known',
      apart,
      undefined,
      'DATA_DIR /srv/data or of BLOB_STORE /mnt/blobs',
      'that variable',
    ],
    ['of both', together, undefined, 'DATA_DIR /srv/data', 'DATA_DIR'],
  ])('%s is explained by its variable', (_what, settings, path, place, variable) => {
    expect(explainFailure(failure({ code: 'ENOSPC', syscall: 'write', path }), settings)).toBe(
      `The disk of ${place} is full: free some space, or set ${variable} to another disk.`,
    );
    expect(explainFailure(failure({ code: 'EROFS', syscall: 'mkdir', path }), settings)).toBe(
      `${path ?? place} lies on a read-only disk: set ${variable} to another one.`,
    );
  });
});
