/** Blocks of commands on a page, in order, without indentation. */
export function commandBlocks(page: string): string[] {
  return [...page.matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm)].map(([, indent, text]) =>
    text!.replace(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** Commands of `drawbridge` in sentences, without that word. A single name or a part of one does not count. */
export function inlineCommands(page: string): string[] {
  const text = page.replace(/^ *```[\s\S]*?^ *```/gm, '');
  return [...text.matchAll(/`(?:bin\/)?drawbridge ([a-z][^`]*)`/g)]
    .map(([, command]) => command!.replace(/\s+/g, ' ').replaceAll('\\|', '|').trim())
    .filter((command) => !/[….]{1,3}$/.test(command));
}
