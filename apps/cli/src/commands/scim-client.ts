import { scimClientsOn } from '#identity';
import type { Command, Output } from '../command';
import { CommandFailed } from '../command-failed';

const create: Command = {
  name: 'scim-client create',
  arguments: ['name'],
  options: {},
  optionsUsage: '',
  summary: 'Makes a SCIM client, or gives a revoked one a new token; the token is shown once.',
  async run(input, instance): Promise<Output> {
    const name = input.arguments.name!;
    const token = await scimClientsOn(await instance.open(), instance.secrets).create(name);
    if (token === undefined)
      throw new CommandFailed(
        `${name} has a token already, or is no name: 1 to 64 letters, digits, blanks, dots, underlines and hyphens.`,
      );
    return { kind: 'done', sentence: `The token of ${name} is ${token}`, record: { name, token } };
  },
};

const list: Command = {
  name: 'scim-client list',
  arguments: [],
  options: {},
  optionsUsage: '',
  summary: 'Lists SCIM clients, with the time of their last call.',
  async run(_input, instance) {
    const clients = await scimClientsOn(await instance.open(), instance.secrets).list();
    const rows = clients.map(({ name, isRevoked, createdAt, usedAt }) => ({
      ...{ name, isRevoked, createdAt: createdAt.toISOString(), usedAt: usedAt?.toISOString() ?? null },
    }));
    return { kind: 'rows', rows };
  },
};

const revoke: Command = {
  name: 'scim-client revoke',
  arguments: ['name'],
  options: {},
  optionsUsage: '',
  summary: 'Revokes the token of a SCIM client; its accounts and groups stay.',
  async run(input, instance) {
    const name = input.arguments.name!;
    if (!(await scimClientsOn(await instance.open(), instance.secrets).revoke(name)))
      throw new CommandFailed(`There is no SCIM client ${name} with a token.`);
    return { kind: 'done', sentence: `The token of ${name} was revoked.`, record: { name } };
  },
};

export const SCIM_CLIENT_COMMANDS: readonly Command[] = [create, list, revoke];
