// The commands of the README and their output in it.

/** This mark in the README replaces parts of the output that differ each time, such as ids and dates. */
const LEFT_OUT = '…';

/** Sections of the README with commands to run, by the purpose of the commands. */
const SECTIONS = { start: 'Start', tour: 'A tour of five minutes' };

function sectionOf(readme, title) {
  const start = readme.indexOf(`\n## ${title}\n`);
  if (start === -1) throw new Error(`the README has no section "${title}"`);
  const end = readme.indexOf('\n## ', start + 1);
  return readme.slice(start, end === -1 ? undefined : end);
}

function blocksOf(section) {
  return [...section.matchAll(/^```(sh|text)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({
    language,
    text,
  }));
}

function commandsOf(section) {
  const blocks = blocksOf(section);
  return blocks.flatMap(({ language, text }, at) => {
    if (language !== 'sh') return [];
    const next = blocks[at + 1];
    return [{ commands: text, prints: next?.language === 'text' ? next.text : undefined }];
  });
}

/**
 * @param {string} readme
 * @returns {{start: {commands: string, prints: string}, tour: {commands: string, prints: string | undefined}[]}} the
 *   command that starts the gateway, and the blocks marked `sh` of the tour; each with the block marked `text` that
 *   follows it
 */
export function readTour(readme) {
  const [start] = commandsOf(sectionOf(readme, SECTIONS.start));
  const tour = commandsOf(sectionOf(readme, SECTIONS.tour));
  if (start?.prints === undefined || tour.length === 0) throw new Error('the README has no commands to run');
  return { start: { commands: start.commands.trim(), prints: start.prints.trim() }, tour };
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const patternOf = (shown) => shown.trim().split(LEFT_OUT).map(escaped).join('[^\\n]*');

/** Whether a command printed the output in the README, line by line; `…` matches any text. */
export function printsAsShown(printed, shown) {
  return new RegExp(`^${patternOf(shown)}$`).test(printed.trim().replaceAll('\r', ''));
}

/** Whether the output in the README, with the same mark, is a part of the lines that a program printed. */
export function printedAmongOthers(printed, shown) {
  return new RegExp(`^${patternOf(shown)}$`, 'm').test(printed.replaceAll('\r', ''));
}
