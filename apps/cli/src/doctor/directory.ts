import { directoryStateOn, LdapDirectory, LdapFailure, ldapSettings } from '#identity';
import type { DirectorySyncState } from '#persistence';
import { ConfigError } from '#platform';
import type { Instance } from '../instance';
import { failed, ok, warning, type Check, type Finding } from './finding';

/** Number of missed readings after which there is a warning. */
const MISSED = 3;

/** Checks whether each server of the directory answers, and its readings succeed. */
export const DIRECTORY_CHECK: Check = {
  name: 'directory',
  needsSchema: true,
  look: async (instance) => {
    try {
      const settings = ldapSettings(instance.config);
      if (!settings) return [ok('LDAP_URLS', 'none: no directory is read')];
      const directory = new LdapDirectory(settings);
      const servers = settings.urls.map((url, index) => server(directory, url, index));
      return [...(await Promise.all(servers)), ...(await readings(instance))];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return [failed('LDAP_URLS', error.message, 'Correct it, or leave LDAP_URLS out.')];
    }
  },
};

async function server(directory: LdapDirectory, { host }: URL, index: number): Promise<Finding> {
  try {
    const isThere = await directory.servers.at(index, (connection) => directory.hasPeople(connection));
    if (isThere) return ok(host, 'answers, and has people');
    return failed(
      host,
      'has nobody',
      'Check LDAP_USER_BASE, LDAP_USER_FILTER and what LDAP_BIND_DN may read.',
    );
  } catch (error) {
    if (!(error instanceof LdapFailure)) throw error;
    const advice = 'Let this machine reach it; look at LDAP_CA_FILE, and at LDAP_BIND_DN and its password.';
    return failed(host, error.message, advice);
  }
}

async function readings(instance: Instance): Promise<Finding[]> {
  const state = await directoryStateOn(await instance.open(), instance.config);
  if (!state?.readAt) return [notRead(state)];
  const found = [age(state.readAt, instance.config.LDAP_SYNC_EVERY)];
  if (state.heldBack !== null)
    found.push(
      failed(
        'last answer',
        `held back: ${state.heldBack}`,
        "Look at the directory; where that is right: 'drawbridge directory sync --accept-loss'.",
      ),
    );
  if (state.failure !== null) found.push(failed('last reading', state.failure, 'Look at its servers.'));
  if (state.refused > 0)
    found.push(
      warning(
        'refused',
        `${state.refused} people or groups got none here`,
        'Check their names, and LDAP_TAKEN_NAMES.',
      ),
    );
  return found;
}

function notRead(state: DirectorySyncState | undefined): Finding {
  const seen = state?.failure ?? state?.heldBack ?? 'none so far';
  return failed('last reading', seen, "Start a worker, or run 'drawbridge directory sync'.");
}

function age(readAt: Date, everyMs: number): Finding {
  const minutes = Math.round((Date.now() - readAt.getTime()) / 60_000);
  const seen = `${minutes} min ago`;
  return minutes * 60_000 > MISSED * everyMs
    ? failed('last reading', seen, 'Look at the workers, and at the servers of the directory.')
    : ok('last reading', seen);
}
