import { chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseServiceAccount, type ChosenAccount } from './service-account';
import type { SystemAccounts } from './system-accounts';
import { takeOver } from './take-over';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
const OWN = { uid: 997, gid: 996 };
const withOwn: SystemAccounts = { own: () => OWN, nobody: { uid: NOBODY, gid: NOBODY } };
const withoutOwn: SystemAccounts = { ...withOwn, own: () => ({ failure: 'there is no useradd' }) };

// Only root can choose an account, and give files to others.
(isRoot ? describe : describe.skip)('the account of an embedded database that root starts', () => {
  let data: string;
  let cluster: string;
  const choose = (accounts: SystemAccounts = withOwn, isRunning = false): ChosenAccount =>
    chooseServiceAccount(data, cluster, accounts, () => isRunning);
  const exposure = (reason: string): string =>
    `The embedded database runs as nobody (${reason}): every program of that account can read it`;

  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'drawbridge-account-'));
    cluster = join(data, 'postgres');
  });
  afterEach(() => rmSync(data, { recursive: true, force: true }));

  it('is a separate account for a new database', () => {
    expect(choose()).toEqual({ account: OWN, isTakenOver: false, exposure: undefined });
  });

  it('the account is `nobody` if none can be created, and the reason is reported', () => {
    expect(choose(withoutOwn)).toEqual({
      account: { uid: NOBODY, gid: NOBODY },
      isTakenOver: false,
      exposure: exposure('there is no useradd'),
    });
  });

  it('a database that belongs to `nobody` is taken over unless it runs', () => {
    mkdirSync(cluster);
    chownSync(cluster, NOBODY, NOBODY);
    expect(choose()).toEqual({ account: OWN, isTakenOver: true, exposure: undefined });
    expect(choose(withOwn, true)).toMatchObject({
      account: { uid: NOBODY },
      isTakenOver: false,
      exposure: exposure('it is running since an earlier start'),
    });
    expect(choose(withoutOwn)).toMatchObject({ account: { uid: NOBODY }, isTakenOver: false });
  });

  it('is the owner of the database or the data directory, if that is an ordinary account', () => {
    chownSync(data, 1234, 1235);
    expect(choose()).toEqual({ account: { uid: 1234, gid: 1235 }, isTakenOver: false, exposure: undefined });
    mkdirSync(cluster);
    chownSync(cluster, 2345, 2346);
    expect(choose(withOwn, true)).toMatchObject({ account: { uid: 2345, gid: 2346 }, exposure: undefined });
  });

  it('the account is `nobody` if the whole data directory belongs to `nobody`', () => {
    chownSync(data, NOBODY, NOBODY);
    expect(choose()).toMatchObject({
      account: { uid: NOBODY },
      isTakenOver: false,
      exposure: exposure('DATA_DIR belongs to nobody'),
    });
  });

  it('gets every file of a database that is taken over, and nothing that links lead to', () => {
    const outside = join(data, 'outside');
    mkdirSync(join(cluster, 'base'), { recursive: true });
    for (const file of [outside, join(cluster, 'PG_VERSION'), join(cluster, 'base/1')])
      writeFileSync(file, '');
    symlinkSync(outside, join(cluster, 'link'));
    takeOver(cluster, OWN);
    for (const path of ['', 'PG_VERSION', 'base', 'base/1', 'link']) {
      const { uid, gid } = lstatSync(join(cluster, path));
      expect([path, uid, gid]).toEqual([path, OWN.uid, OWN.gid]);
    }
    expect(lstatSync(outside).uid).toBe(0);
  });
});
