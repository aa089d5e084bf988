import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedDatabaseError } from '#embedded-database';
import { prepareCluster } from './cluster';

describe('an embedded database that cannot be created', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'drawbridge-cluster-'))));
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  /** The failure with a program in the place of initdb. */
  const failureWith = (says: string): unknown => {
    const initdb = join(directory, 'initdb');
    writeFileSync(initdb, `#!/bin/sh\necho "${says}" >&2\nexit 1\n`);
    chmodSync(initdb, 0o755);
    try {
      prepareCluster(directory, undefined, { initdb, postgres: initdb }, () => undefined);
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it('says why', () => {
    expect(failureWith('initdb: error: no locale')).toEqual(
      new EmbeddedDatabaseError('The embedded database could not be created (initdb: error: no locale).'),
    );
  });

  it('has the code and the directory of a full disk, which a start explains', () => {
    const says = 'initdb: error: could not write file \\"pg_wal\\": No space left on device';
    expect(failureWith(says)).toMatchObject({ code: 'ENOSPC', path: expect.stringContaining(directory) });
  });
});
