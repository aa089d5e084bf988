/** Blocks of commands of a page, in its order, without their indentation. */
export function commandBlocks(page: string): string[] {
  return [...page.matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm)].map(([, indent, text]) =>
    text!.replace(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** Commands of `drawbridge` that stand in sentences, without that word; a name alone, or a part of one, is none. */
export function inlineCommands(page: string): string[] {
  const text = page.replace(/^ *```[\s\S]*?^ *```/gm, '');
  return [...text.matchAll(/`(?:bin\/)?drawbridge ([a-z][^`]*)`/g)]
    .map(([, command]) => command!.replace(/\s+/g, ' ').replaceAll('\\|', '|').trim())
    .filter((command) => !/[….]{1,3}$/.test(command));
}
