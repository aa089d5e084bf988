/** A block of commands, or the lines that a page shows as their result. */
export interface Block {
  readonly kind: 'sh' | 'text';
  readonly text: string;
}

/** Blocks of commands and results of a page, in its order, without their indentation. */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^( *)```(sh|text)\n([\s\S]*?)^ *```/gm)].map(([, indent, kind, text]) => ({
    kind: kind as Block['kind'],
    text: text!.replace(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** Blocks of commands of a page, in its order. */
export const commandBlocks = (page: string): string[] =>
  blocksOf(page).flatMap(({ kind, text }) => (kind === 'sh' ? [text] : []));

/** Commands of `drawbridge` in sentences, without that word. A single name or a part of one does not count. */
export function inlineCommands(page: string): string[] {
  const text = page.replace(/^ *```[\s\S]*?^ *```/gm, '');
  return [...text.matchAll(/`(?:bin\/)?drawbridge ([a-z][^`]*)`/g)]
    .map(([, command]) => command!.replace(/\s+/g, ' ').replaceAll('\\|', '|').trim())
    .filter((command) => !/[….]{1,3}$/.test(command));
}

/** Commands of `kubectl` that stand in sentences; the name of the program alone is none. */
export function inlineKubectl(page: string): string[] {
  const text = page.replace(/^ *```[\s\S]*?^ *```/gm, '');
  return [...text.matchAll(/`(kubectl [^`]+)`/g)].map(([, command]) => command!.replace(/\s+/g, ' ').trim());
}
