/** Content of a file, or null for a folder. */
export type Content = string | null;
/** Entries by their paths; of something deleted by their paths below it, itself as `''`. */
export type Entries = ReadonlyMap<string, Content>;

/** A tree with its trash bin, as plain maps: what the gateway is compared with. */
export class TreeModel {
  private readonly tree = new Map<string, Content>();
  private readonly trash = new Map<number, { readonly path: string; readonly entries: Entries }>();

  paths(): string[] {
    return [...this.tree.keys()];
  }

  has(path: string): boolean {
    return this.tree.has(path);
  }

  trashed(): number[] {
    return [...this.trash.keys()];
  }

  put(path: string, content: Content): void {
    this.tree.set(path, content);
  }

  /** @param id of the node that stands there */
  remove(path: string, id: number): void {
    this.trash.set(id, { path, entries: this.take(path) });
  }

  move(from: string, to: string, replacedId: number | undefined): void {
    if (replacedId !== undefined) this.remove(to, replacedId);
    this.place(to, this.take(from));
  }

  copy(from: string, to: string, replacedId: number | undefined): void {
    const entries = this.below(from);
    if (replacedId !== undefined) this.remove(to, replacedId);
    this.place(to, entries);
  }

  restore(id: number, to: string, replacedId: number | undefined): void {
    const { entries } = this.trash.get(id)!;
    this.trash.delete(id);
    if (replacedId !== undefined) this.remove(to, replacedId);
    this.place(to, entries);
  }

  purge(id: number): void {
    this.trash.delete(id);
  }

  /** One line for each entry of the tree and of the trash bin. */
  lines(): string[] {
    const line = (place: string, content: Content): string =>
      content === null ? `${place}/` : `${place} ${content}`;
    const ofTree = [...this.tree].map(([path, content]) => line(path, content));
    const ofTrash = [...this.trash].flatMap(([id, { path, entries }]) =>
      [...entries].map(([below, content]) => line(`trash ${id} ${path}${below}`, content)),
    );
    return [...ofTree, ...ofTrash].sort();
  }

  private below(path: string): Map<string, Content> {
    const found = [...this.tree].filter(([other]) => other === path || other.startsWith(`${path}/`));
    return new Map(found.map(([other, content]) => [other.slice(path.length), content]));
  }

  private take(path: string): Map<string, Content> {
    const entries = this.below(path);
    for (const below of entries.keys()) this.tree.delete(path + below);
    return entries;
  }

  private place(path: string, entries: Entries): void {
    for (const [below, content] of entries) this.tree.set(path + below, content);
  }
}
