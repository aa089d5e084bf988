import { existsSync, statSync } from 'node:fs';
import { EmbeddedDatabaseError } from './embedded-database-error';
import { NOBODY_UID, type SystemAccount, type SystemAccounts } from './system-accounts';

/** The account of Postgres; undefined if it is that of this process. */
export type ServiceAccount = SystemAccount | undefined;

/** The chosen account of a cluster that root starts. */
export interface ChosenAccount {
  readonly account: ServiceAccount;
  /** Whether files of the cluster still belong to `nobody`, and have to be given to the account. */
  readonly isTakenOver: boolean;
  /** Reason why other programs can read the database, for people; undefined if they cannot. */
  readonly exposure: string | undefined;
}

const unexposed = (account: ServiceAccount): ChosenAccount => ({
  account,
  isTakenOver: false,
  exposure: undefined,
});

/**
 * Decides which account a cluster uses. Only root has a choice, because Postgres refuses to run as root:
 * 1. the owner of the cluster, or of the data directory, unless that is root or `nobody`: a command that root runs
 * leaves no files that the gateway's own account could not use;
 * 2. `nobody`, if the whole data directory belongs to it: then the gateway itself runs as `nobody`;
 * 3. a system account for this purpose, which also takes over a cluster of `nobody`;
 * 4. `nobody`, if there can be no such account. Other programs with this account can read the database.
 *
 * @param isRunning whether the cluster's server is running: then its files keep their owner
 */
export function chooseServiceAccount(
  dataDirectory: string,
  clusterDirectory: string,
  accounts: SystemAccounts,
  isRunning: () => boolean,
): ChosenAccount {
  if (process.getuid?.() !== 0) return unexposed(undefined);
  if (process.platform !== 'linux') {
    throw new EmbeddedDatabaseError(
      'The embedded database does not run for root on this system: start as an ordinary user, or set DATABASE_URL.',
    );
  }
  const cluster = ownerOf(clusterDirectory);
  const data = ownerOf(dataDirectory);
  for (const owner of [cluster, data]) if (owner && isOrdinary(owner)) return unexposed(owner);
  if (data?.uid === NOBODY_UID) return exposed('DATA_DIR belongs to nobody', data);
  if (cluster && isRunning()) return exposed('it is running since an earlier start', cluster);
  const made = accounts.own();
  if ('failure' in made) return exposed(made.failure, cluster ?? accounts.nobody);
  return { account: made, isTakenOver: cluster !== undefined, exposure: undefined };
}

const isOrdinary = ({ uid }: SystemAccount): boolean => uid !== 0 && uid !== NOBODY_UID;

function ownerOf(path: string): SystemAccount | undefined {
  if (!existsSync(path)) return undefined;
  const { uid, gid } = statSync(path);
  return { uid, gid };
}

const exposed = (reason: string, account: SystemAccount): ChosenAccount => ({
  account,
  isTakenOver: false,
  exposure: `The embedded database runs as nobody (${reason}): every program of that account can read it`,
});
