/** A file, or a folder, which has no content. */
interface Item {
  /** Digest; null for a folder. */
  readonly content: string | null;
  /** Digests of older contents of the file, the oldest first. */
  readonly versions: readonly string[];
}

/** Items by path; for a deleted item by the path below it, with `''` for itself. */
type Items = ReadonlyMap<string, Item>;

const FOLDER: Item = { content: null, versions: [] };

/** A tree with its trash bin and its versions, as plain maps: the gateway is compared with it. */
export class TreeModel {
  private readonly tree = new Map<string, Item>();
  private readonly trash = new Map<number, { readonly path: string; readonly items: Items }>();

  /** @param nothing digest of an empty content, which creates no version */
  constructor(private readonly nothing: string) {}

  paths(): string[] {
    return [...this.tree.keys()];
  }

  has(path: string): boolean {
    return this.tree.has(path);
  }

  trashed(): number[] {
    return [...this.trash.keys()];
  }

  addFolder(path: string): void {
    this.tree.set(path, FOLDER);
  }

  write(path: string, content: string): void {
    const { content: before, versions } = this.tree.get(path) ?? FOLDER;
    const isKept = before !== null && before !== this.nothing && before !== versions.at(-1);
    this.tree.set(path, { content, versions: isKept ? [...versions, before] : versions });
  }

  /** @param age of the version: 0 for the oldest */
  restoreVersion(path: string, age: number): void {
    this.write(path, this.tree.get(path)!.versions[age]!);
  }

  removeVersion(path: string, age: number): void {
    const { content, versions } = this.tree.get(path)!;
    this.tree.set(path, { content, versions: versions.filter((_, at) => at !== age) });
  }

  /** @param id of the node there */
  remove(path: string, id: number): void {
    this.trash.set(id, { path, items: this.take(path) });
  }

  move(from: string, to: string, replacedId: number | undefined): void {
    if (replacedId !== undefined) this.remove(to, replacedId);
    this.place(to, this.take(from));
  }

  copy(from: string, to: string, replacedId: number | undefined): void {
    const copied = [...this.below(from)].map(
      ([path, { content }]) => [path, { content, versions: [] }] as const,
    );
    if (replacedId !== undefined) this.remove(to, replacedId);
    this.place(to, new Map(copied));
  }

  restore(id: number, to: string, replacedId: number | undefined): void {
    const { items } = this.trash.get(id)!;
    this.trash.delete(id);
    if (replacedId !== undefined) this.remove(to, replacedId);
    this.place(to, items);
  }

  purge(id: number): void {
    this.trash.delete(id);
  }

  /** One line for each item of the tree and of the trash bin. */
  lines(): string[] {
    const line = (place: string, { content, versions }: Item): string =>
      content === null ? `${place}/` : [place, content, ...versions].join(' ');
    const ofTree = [...this.tree].map(([path, item]) => line(path, item));
    const ofTrash = [...this.trash].flatMap(([id, { path, items }]) =>
      [...items].map(([below, item]) => line(`trash ${id} ${path}${below}`, item)),
    );
    return [...ofTree, ...ofTrash].sort();
  }

  private below(path: string): Map<string, Item> {
    const found = [...this.tree].filter(([other]) => other === path || other.startsWith(`${path}/`));
    return new Map(found.map(([other, item]) => [other.slice(path.length), item]));
  }

  private take(path: string): Map<string, Item> {
    const items = this.below(path);
    for (const below of items.keys()) this.tree.delete(path + below);
    return items;
  }

  private place(path: string, items: Items): void {
    for (const [below, item] of items) this.tree.set(path + below, item);
  }
}
