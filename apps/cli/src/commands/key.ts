import { agreeOnLookupKey, AuditRepository, SealedSecretRepository } from '#persistence';
import type { Command } from '../command';
import type { Instance } from '../instance';

async function sealedSecretsOf(instance: Instance): Promise<SealedSecretRepository> {
  const [database, secrets] = [await instance.open(), instance.secrets];
  // Refuses a wrong key, with which all secrets would look unreadable.
  await agreeOnLookupKey(database, secrets);
  return new SealedSecretRepository(database, secrets);
}

const status: Command = {
  name: 'key status',
  arguments: [],
  options: {},
  optionsUsage: '',
  summary:
    'Counts stored secrets by the key that encrypts them: the present one, the previous one, or an unknown one.',
  async run(_input, instance) {
    const rows = await (await sealedSecretsOf(instance)).count();
    return { kind: 'rows', rows: rows.map((row) => ({ ...row })) };
  },
};

const rotate: Command = {
  name: 'key rotate',
  arguments: [],
  options: {},
  optionsUsage: '',
  summary:
    'Encrypts the secrets of the previous key (ENCRYPTION_KEY_PREVIOUS) with the present one, while the gateway runs. After an interruption, run it again.',
  async run(_input, instance) {
    const secrets = await sealedSecretsOf(instance);
    const count = await secrets.sealAnew();
    const left = (await secrets.count()).reduce(
      (sum, { previous, unreadable }) => sum + previous + unreadable,
      0,
    );
    const audit = new AuditRepository(await instance.open());
    await audit.record('encryption-key.rotate', ['encryption-key', null], { sealed: count, left });
    const sentence =
      left === 0
        ? `${count} secrets were sealed anew: the previous key seals no secret any more.`
        : `${count} secrets were sealed anew, and ${left} are not sealed with the key: see 'drawbridge key status'.`;
    return { kind: 'done', sentence, record: { count, left }, isBad: left > 0 };
  },
};

export const KEY_COMMANDS: readonly Command[] = [status, rotate];
