import { setTimeout as pause } from 'node:timers/promises';
import { hostAt, linkKeysText, readLinkAddress, SecretText } from '#federation/protocol';
import {
  ForeignLinkRepository,
  PeerRepository,
  ReceivedShareRepository,
  type SettledLink,
} from '#persistence';
import { PublicAddress } from '#platform';
import { linkRefusalNamed, LinkRefused } from '#sharing';
import { textOption, type Command, type Output } from '../command';
import { CommandFailed, UsageError } from '../command-failed';
import type { Instance } from '../instance';
import { readPasswordOption } from '../new-password';

/** Longer than a working partner needs. */
const WAIT_MS = 40_000;
const POLL_MS = 250;

/** Asks a worker of the running gateway to save another server's public link for a user. */
export const FOREIGN_LINK_COMMAND: Command = {
  name: 'link save',
  arguments: ['uid', 'address'],
  options: { 'password-file': { type: 'string' } },
  optionsUsage: '[--password-file FILE]',
  summary: "Saves another server's public link for a user, as if they had pasted its address.",
  async run(input, instance) {
    const { address } = input.arguments as { address: string };
    const link = readLinkAddress(address);
    if (!link)
      throw new UsageError('ADDRESS is that of a public link, such as https://cloud.example.org/s/TOKEN.');
    if (link.hostKey === hostAt(new PublicAddress(instance.config).url)) throw failed('own');
    const file = textOption(input, 'password-file');
    const password = new SecretText(file === undefined ? '' : await readPasswordOption(file));
    const database = await instance.open();
    const { uid } = await (await instance.administration()).users.get(input.arguments.uid!);
    const links = new ForeignLinkRepository(database);
    const { id } = await links.begin({
      uid,
      peerId: (await new PeerRepository(database).ensure(link.hostKey)).id,
      tokenHmac: instance.secrets.lookup(link.token.reveal()),
      sealedKeys: instance.secrets.seal(linkKeysText({ token: link.token, password, name: '' })),
    });
    await links.announce();
    return outcomeText(instance, uid, link.hostKey, await settled(links, id));
  },
};

async function settled(links: ForeignLinkRepository, id: number): Promise<SettledLink | undefined> {
  const until = Date.now() + WAIT_MS;
  for (;;) {
    const result = await links.settled(id);
    if (result || Date.now() > until) return result;
    await pause(POLL_MS);
  }
}

/** @throws CommandFailed for a refusal */
async function outcomeText(
  instance: Instance,
  uid: string,
  host: string,
  result: SettledLink | undefined,
): Promise<Output> {
  if (result?.state === 'refused') throw failed(result.reason, result.words);
  if (!result) {
    const sentence = `${host} has not offered it yet. It is saved for ${uid} when it does, if a gateway is running.`;
    return { kind: 'done', sentence, record: { uid, host, mountpoint: null }, isBad: true };
  }
  const share = await new ReceivedShareRepository(await instance.open()).find(result.receivedShareId, uid);
  const mountpoint = share?.fileTarget ?? null;
  return { kind: 'done', sentence: `${uid} has it at ${mountpoint}.`, record: { uid, host, mountpoint } };
}

function failed(reason: string, words = ''): CommandFailed {
  const { message } = new LinkRefused(linkRefusalNamed(reason) ?? 'not-understood', words);
  return new CommandFailed(`${message}.`);
}
