/** A file with its folders, relative to the dropped items. */
export interface DroppedFile {
  readonly file: File;
  /** Names of folders, the outermost first; empty for a file that was dropped itself. */
  readonly folders: readonly string[];
}

/** All dropped files, including those in dropped folders. Call it only within the event's handler. */
export async function droppedFiles({ dataTransfer }: DragEvent): Promise<DroppedFile[]> {
  const items = [...(dataTransfer?.items ?? [])].filter(({ kind }) => kind === 'file');
  const entries = items.map((item) => item.webkitGetAsEntry());
  // Some items are not in a file system, such as pictures that are dragged out of a page.
  const others = items.filter((_, at) => entries[at] === null).map((item) => item.getAsFile());
  const found = await filesIn(
    entries.filter((entry) => entry !== null),
    [],
  );
  return [...found, ...others.filter((file) => file !== null).map((file) => ({ file, folders: [] }))];
}

/** Files from a form field, with their folders if folders were chosen. */
export const selectedFiles = ({ files }: HTMLInputElement): DroppedFile[] =>
  [...(files ?? [])].map((file) => ({ file, folders: file.webkitRelativePath.split('/').slice(0, -1) }));

async function filesIn(
  entries: readonly FileSystemEntry[],
  folders: readonly string[],
): Promise<DroppedFile[]> {
  const found: DroppedFile[] = [];
  for (const entry of entries) {
    if (entry.isFile) found.push({ file: await fileOf(entry as FileSystemFileEntry), folders });
    else
      found.push(
        ...(await filesIn(await childrenOf(entry as FileSystemDirectoryEntry), [...folders, entry.name])),
      );
  }
  return found;
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

/** Browsers return a folder's entries in parts, and an empty part at the end. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return all;
    all.push(...part);
  }
}

/** The folders of some files, each behind its parent. */
export function foldersOf(files: readonly DroppedFile[]): string[][] {
  const all = files.flatMap(({ folders }) => folders.map((_, at) => folders.slice(0, at + 1)));
  return [...new Map(all.map((folder) => [folder.join('/'), folder])).values()].sort(
    (one, other) => one.length - other.length,
  );
}
