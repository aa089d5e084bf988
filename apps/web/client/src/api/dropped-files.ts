/** A file with the folders in which it lay, relative to what was dropped. */
export interface DroppedFile {
  readonly file: File;
  /** Names of folders, the outermost first; empty for a file that was dropped itself. */
  readonly folders: readonly string[];
}

/** Everything that was dropped, with what is in dropped folders. Only within the event's handler. */
export async function droppedFiles({ dataTransfer }: DragEvent): Promise<DroppedFile[]> {
  const items = [...(dataTransfer?.items ?? [])].filter(({ kind }) => kind === 'file');
  const entries = items.map((item) => item.webkitGetAsEntry());
  // Some are no files of a file system, such as pictures that are dragged out of a page.
  const others = items.filter((_, at) => entries[at] === null).map((item) => item.getAsFile());
  const found = await filesIn(
    entries.filter((entry) => entry !== null),
    [],
  );
  return [...found, ...others.filter((file) => file !== null).map((file) => ({ file, folders: [] }))];
}

/** Files that were chosen by a field, with the folders in which they lay where folders are chosen. */
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

/** Browsers give a folder's entries in parts, and an empty part at the end. */
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

/** The folders of some files, each after the one in which it lies. */
export function foldersOf(files: readonly DroppedFile[]): string[][] {
  const all = files.flatMap(({ folders }) => folders.map((_, at) => folders.slice(0, at + 1)));
  return [...new Map(all.map((folder) => [folder.join('/'), folder])).values()].sort(
    (one, other) => one.length - other.length,
  );
}
