import { spawnSync } from 'node:child_process';

export interface SystemAccount {
  readonly uid: number;
  readonly gid: number;
}

/** Accounts of this machine. */
export interface SystemAccounts {
  /** The account of embedded databases, which is created if it is missing. */
  own(): SystemAccount | { readonly failure: string };
  readonly nobody: SystemAccount;
}

export const NOBODY_UID = 65534;
/** Account that runs embedded databases for root, and nothing else. */
const OWN_ACCOUNT = 'drawbridge-db';

const TOOLS = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
const LIMIT_MS = 10_000;
const ATTEMPTS = 5;
const PAUSE_MS = 200;

const run = (program: string, args: readonly string[]) =>
  spawnSync(program, args, { env: TOOLS, encoding: 'utf8', timeout: LIMIT_MS });

/** Accounts of the system, read and made with its own tools. */
export const SYSTEM_ACCOUNTS: SystemAccounts = {
  nobody: { uid: NOBODY_UID, gid: NOBODY_UID },
  own: () => {
    let failure = '';
    // Another start may create it at this moment: the tools exclude one another.
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const known = find(OWN_ACCOUNT);
      if (known) return known;
      if (attempt > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      failure = create(OWN_ACCOUNT);
    }
    return find(OWN_ACCOUNT) ?? { failure: `no account ${OWN_ACCOUNT} can be created: ${failure}` };
  },
};

function find(name: string): SystemAccount | undefined {
  const [uid, gid] = ['-u', '-g'].map((option) => run('id', [option, name])).map(numberIn);
  return uid && gid ? { uid, gid } : undefined;
}

const numberIn = ({ status, stdout }: { status: number | null; stdout: string }): number =>
  status === 0 ? Number(stdout) : 0;

/** @returns the reason why it cannot be created; meaningless if it was */
function create(name: string): string {
  const options = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent'];
  const { error, stderr } = run('useradd', [...options, '--shell', '/usr/sbin/nologin', name]);
  return error?.message ?? stderr.trim().split('\n')[0] ?? '';
}
