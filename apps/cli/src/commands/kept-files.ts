import { TrashExpiryRepository, VersionExpiryRepository } from '#persistence';
import { parsePath, storageOn, TreeFailure, userView, type NodePath } from '#storage';
import { assertContentsAreOurs } from '../blob-ownership';
import type { Command, CommandInput } from '../command';
import { CommandFailed, UsageError } from '../command-failed';
import type { Instance } from '../instance';

type Storage = Awaited<ReturnType<typeof storageOn>>;

/** The files of a user. @throws CommandFailed if there is no such user */
async function filesOf(input: CommandInput, instance: Instance): Promise<Storage & { readonly uid: string }> {
  const database = await instance.open();
  const { uid } = await (await instance.administration()).users.get(input.arguments.uid!);
  await assertContentsAreOurs(instance.config);
  return { ...(await storageOn(database, instance.config)), uid };
}

function numberArgument(input: CommandInput, name: string): number {
  const text = input.arguments[name]!;
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new UsageError(`${name.toUpperCase()} is a number, as the list shows it.`);
  return Number(text);
}

/** Explains in a sentence why files could not be read or changed. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TreeFailure ? new CommandFailed(`${error.message}.`) : error;
  }
}

async function fileAt({ tree, uid }: Storage & { readonly uid: string }, input: CommandInput) {
  const view = userView(uid);
  const path: NodePath = await tree.spell(view, parsePath(input.arguments.path!));
  const node = await tree.stat(view, path);
  if (node.row.kind === 'folder')
    throw new CommandFailed(`${path} is a folder, and folders have no versions.`);
  return { view, path, node };
}

const listVersions: Command = {
  name: 'version list',
  arguments: ['uid', 'path'],
  options: {},
  optionsUsage: '',
  summary: 'Lists the earlier versions of a file, the newest first.',
  run: (input, instance) =>
    explained(async () => {
      const files = await filesOf(input, instance);
      const { node } = await fileAt(files, input);
      const rows = await files.versions.list(node);
      return {
        kind: 'rows',
        rows: rows.map(({ id, size, mtime, author, authorKind, label, storedAt }) => ({
          ...{ id, size, mtime, storedAt, author: author ?? authorKind, label },
        })),
      };
    }),
};

const restoreVersion: Command = {
  name: 'version restore',
  arguments: ['uid', 'path', 'id'],
  options: {},
  optionsUsage: '',
  summary: 'Restores a version of a file; the present content becomes a version.',
  run: (input, instance) =>
    explained(async () => {
      const id = numberArgument(input, 'id');
      const files = await filesOf(input, instance);
      const { view, path, node } = await fileAt(files, input);
      const { row } = await files.versions.restore(view, path, node.row.id, id);
      const sentence = `${path} has the content of version ${id}, ${row.size} bytes.`;
      return { kind: 'done', sentence, record: { path, version: id, size: row.size } };
    }),
};

const LEFT_TO_SWEEP = 'Contents go with the next sweep of the store.';

const expireVersions: Command = {
  name: 'version expire',
  arguments: [],
  options: {},
  optionsUsage: '',
  summary:
    'Removes versions that system/versions_retention_obligation does not keep; a worker also does this once an hour.',
  async run(_input, instance) {
    const removed = await new VersionExpiryRepository(await instance.open()).removeOutdated();
    return {
      kind: 'done',
      sentence: `${removed} versions were removed. ${LEFT_TO_SWEEP}`,
      record: { removed },
    };
  },
};

const listTrash: Command = {
  name: 'trash list',
  arguments: ['uid'],
  options: {},
  optionsUsage: '',
  summary: 'Lists the trash bin of a user, the newest deletion first.',
  run: (input, instance) =>
    explained(async () => {
      const { trash, uid } = await filesOf(input, instance);
      const entries = await trash.list(uid);
      return {
        kind: 'rows',
        rows: entries.map(({ row, originalPath, deletedAt, deletedBy }) => ({
          ...{ id: row.id, path: `/${originalPath}`, kind: row.kind, size: row.size, deletedAt },
          deletedBy: deletedBy.name ?? deletedBy.kind,
        })),
      };
    }),
};

const restoreTrash: Command = {
  name: 'trash restore',
  arguments: ['uid', 'id'],
  options: {},
  optionsUsage: '',
  summary: 'Moves a deleted file or folder back to its place, under another name if its name is taken.',
  run: (input, instance) =>
    explained(async () => {
      const id = numberArgument(input, 'id');
      const { trash, uid } = await filesOf(input, instance);
      const entry = await trash.find(uid, id).catch((error: unknown) => {
        if (error instanceof TreeFailure && error.code === 'not-found')
          throw new CommandFailed(`${uid} has no deleted file or folder ${id}.`);
        throw error;
      });
      const { node } = await trash.restoreToOrigin(userView(uid), entry);
      const path = node?.path ?? '';
      return { kind: 'done', sentence: `${path} is back.`, record: { id, path } };
    }),
};

const expireTrash: Command = {
  name: 'trash expire',
  arguments: [],
  options: {},
  optionsUsage: '',
  summary:
    'Removes entries of trash bins that are older than files_trashbin/retention_days; a worker also does this on a schedule.',
  async run(_input, instance) {
    const removed = await new TrashExpiryRepository(await instance.open()).removeExpired();
    return {
      kind: 'done',
      sentence: `${removed} deletions were removed. ${LEFT_TO_SWEEP}`,
      record: { removed },
    };
  },
};

/** Commands on versions of files and on trash bins. */
export const KEPT_FILES_COMMANDS: readonly Command[] = [
  ...[listVersions, restoreVersion, expireVersions],
  ...[listTrash, restoreTrash, expireTrash],
];
