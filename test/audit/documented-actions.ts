/** The actions in the manual: `a.b`, and `.c` after it for `a.c`. */
export function documentedActions(manual: string): Set<string> {
  const actions = new Set<string>();
  for (const line of manual.split('\n')) {
    const cell = /^\| (`[^|]*`) +\| `/.exec(line)?.[1];
    let object = '';
    for (const [, word = ''] of cell?.matchAll(/`([^`]+)`/g) ?? []) {
      if (!word.startsWith('.')) object = word.split('.')[0]!;
      actions.add(word.startsWith('.') ? object + word : word);
    }
  }
  return actions;
}
