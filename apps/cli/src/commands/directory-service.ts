import { readFileSync } from 'node:fs';
import { readDirectoryAddress } from '#federation/protocol';
import { readDirectoryKey } from '#federation/signatures';
import { DirectoryServiceRepository } from '#persistence';
import type { Command } from '../command';
import { CommandFailed, UsageError } from '../command-failed';

function addressOf(text: string): string {
  const address = readDirectoryAddress(text);
  if (address === undefined)
    throw new UsageError('Name the address of the service, such as https://directory.example.org/servers.');
  return address;
}

function keyIn(file: string): string {
  const pem = readFileSync(file, 'utf8').trim();
  if (!readDirectoryKey(pem))
    throw new CommandFailed(
      'The file has no public key in PEM of a kind that signs lists: Ed25519, P-256, or RSA of 2048 bits and more.',
    );
  return pem;
}

const add: Command = {
  name: 'directory-service add',
  arguments: ['url', 'key-file'],
  options: {},
  optionsUsage: '',
  summary:
    'Adds a directory service of Open Cloud Mesh, or gives it another key: invited people choose their server from its list. The key is that of its operator, in PEM.',
  async run(input, instance) {
    const { url: written, 'key-file': file } = input.arguments as { url: string; 'key-file': string };
    const [url, key] = [addressOf(written), keyIn(file)];
    await new DirectoryServiceRepository(await instance.open()).put(url, key);
    return { kind: 'done', sentence: `${url} is asked for its servers within a minute.`, record: { url } };
  },
};

const list: Command = {
  name: 'directory-service list',
  arguments: [],
  options: {},
  optionsUsage: '',
  summary: 'Lists directory services, how many servers each of them names, and why the last request failed.',
  async run(_input, instance) {
    const services = await new DirectoryServiceRepository(await instance.open()).list();
    const rows = services.map(({ url, federation, servers, fetchedAt, error }) => ({
      ...{ url, federation, servers: servers.length, fetchedAt: fetchedAt?.toISOString() ?? null, error },
    }));
    return { kind: 'rows', rows };
  },
};

const remove: Command = {
  name: 'directory-service remove',
  arguments: ['url'],
  options: {},
  optionsUsage: '',
  summary: 'Removes a directory service, and its servers from the page for invited people.',
  async run(input, instance) {
    const url = input.arguments.url!;
    if (!(await new DirectoryServiceRepository(await instance.open()).remove(url)))
      throw new CommandFailed(`There is no directory service ${url}.`);
    return { kind: 'done', sentence: `${url} was removed.`, record: { url } };
  },
};

export const DIRECTORY_SERVICE_COMMANDS: readonly Command[] = [add, list, remove];
