import { agreeOnLookupKey, SealedSecretRepository, SigningKeyRepository, type Database } from '#persistence';
import type { Instance } from '../instance';
import { failed, ok, warning, type Check, type Finding } from './finding';

const DAY_MS = 24 * 3_600_000;
const OLD_DAYS = 400;

/** Checks whether sealed values can be opened, and whether there are signing keys. */
export const KEYS_CHECK: Check = {
  name: 'keys',
  needsSchema: true,
  look: async (instance) => {
    if (!instance.hasKey)
      return [
        failed(
          'encryption key',
          'none is configured here',
          'Set ENCRYPTION_KEY or ENCRYPTION_KEY_FILE, as the apps have it.',
        ),
      ];
    const database = await instance.open();
    // Opens the sealed lookup key: if that fails, nothing else can be opened.
    await agreeOnLookupKey(database, instance.secrets);
    return [...(await sealedFindings(database, instance)), ...(await signingFindings(database, instance))];
  },
};

async function sealedFindings(database: Database, { secrets, config }: Instance): Promise<Finding[]> {
  const counts = await new SealedSecretRepository(database, secrets).count();
  const sum = (which: 'current' | 'previous' | 'unreadable'): number =>
    counts.reduce((total, count) => total + count[which], 0);
  const [previous, unreadable] = [sum('previous'), sum('unreadable')];
  const findings = [ok('encryption key', `opens ${sum('current')} secrets`)];
  if (unreadable > 0)
    findings.push(
      failed(
        'sealed secrets',
        `${unreadable} are sealed with no known key`,
        "See 'drawbridge key status', and give the key back that sealed them.",
      ),
    );
  if (previous > 0)
    findings.push(
      warning(
        'sealed secrets',
        `${previous} are sealed with the previous key`,
        "Run 'drawbridge key rotate'.",
      ),
    );
  else if (config.ENCRYPTION_KEY_PREVIOUS || config.ENCRYPTION_KEY_PREVIOUS_FILE)
    findings.push(warning('previous key', 'seals no secret any more', 'Take ENCRYPTION_KEY_PREVIOUS away.'));
  return findings;
}

async function signingFindings(database: Database, { secrets }: Instance): Promise<Finding[]> {
  const keys = (await new SigningKeyRepository(database).list()).filter(
    ({ retiredAt }) => retiredAt === null,
  );
  if (keys.length === 0)
    return [warning('signing keys', 'there are none', 'Start the apps once: the first one makes them.')];
  return keys.map(({ id, algorithm, notBefore, sealedPrivateKey }) => {
    const subject = `signing key ${id}`;
    const days = Math.floor((Date.now() - notBefore.getTime()) / DAY_MS);
    try {
      secrets.open(sealedPrivateKey);
    } catch {
      return failed(
        subject,
        'cannot be opened',
        "Give the encryption key back that sealed it (see 'drawbridge key status').",
      );
    }
    const seen = `${algorithm}, ${days < 0 ? 'not in use yet' : `${days} days old`}`;
    return days > OLD_DAYS
      ? warning(subject, seen, "Change it: 'drawbridge help' lists the commands for signing keys.")
      : ok(subject, seen);
  });
}
