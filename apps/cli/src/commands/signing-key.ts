import {
  ALL_KEY_NAMES,
  KEY_NAMES,
  listedKeys,
  rotateSigningKey,
  type KeyName,
  type NewKey,
} from '#federation/signatures';
import { SigningKeyRepository } from '#persistence';
import { textOption, type Command, type CommandInput } from '../command';
import { UsageError } from '../command-failed';

const list: Command = {
  name: 'signing-key list',
  arguments: [],
  options: {},
  optionsUsage: '',
  summary:
    'Lists the keys that sign messages to partners: the one in use, those for later, and those that end.',
  async run(_input, instance) {
    const keys = listedKeys(await new SigningKeyRepository(await instance.open()).list(), new Date());
    return {
      kind: 'rows',
      rows: keys.map(({ signsFrom, endsAt, ...key }) => ({
        ...key,
        signsFrom: signsFrom.toISOString(),
        endsAt: endsAt?.toISOString() ?? null,
      })),
    };
  },
};

/** @throws UsageError */
function chosenNames(input: CommandInput): readonly KeyName[] {
  const chosen = textOption(input, 'algorithm') ?? 'all';
  if (chosen === 'all') return ALL_KEY_NAMES;
  const name = ALL_KEY_NAMES.find((known) => known === chosen);
  if (!name) throw new UsageError(`--algorithm is one of ${ALL_KEY_NAMES.join(', ')}, all.`);
  return [name];
}

const sentenceOf = (name: KeyName, key: NewKey | undefined): string =>
  key
    ? `${name}: ${key.id} signs from ${key.notBefore.toISOString()}, those before it end at ${key.predecessorsRetireAt.toISOString()}.`
    : `${name}: another key was made at the same time, and this one was not: see 'drawbridge signing-key list'.`;

const rotate: Command = {
  name: 'signing-key rotate',
  arguments: [],
  options: { algorithm: { type: 'string' }, 'after-leak': { type: 'boolean' } },
  optionsUsage: '[--algorithm ES256|RSA|all] [--after-leak]',
  summary:
    'Makes new keys that sign messages to partners. The old ones stay valid for a day; with --after-leak they end at once.',
  async run(input, instance) {
    const names = chosenNames(input);
    const why = input.options['after-leak'] === true ? 'leaked' : 'planned';
    const parts = { store: new SigningKeyRepository(await instance.open()), secrets: instance.secrets };
    const keys: [KeyName, NewKey | undefined][] = [];
    for (const name of names) keys.push([name, await rotateSigningKey(parts, KEY_NAMES[name], why)]);
    return {
      kind: 'done',
      sentence: keys.map(([name, key]) => sentenceOf(name, key)).join('\n'),
      record: Object.fromEntries(keys.map(([name, key]) => [name, key ?? null])),
      // Nothing was done, so the leaked keys may still sign.
      isBad: keys.some(([, key]) => key === undefined),
    };
  },
};

export const SIGNING_KEY_COMMANDS: readonly Command[] = [list, rotate];
