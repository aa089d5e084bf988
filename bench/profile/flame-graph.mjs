// Draws a processor profile as a flame graph: an SVG in which the width of a function is its time. The functions that it
// calls are above it.
import { timeBy } from './stages.mjs';

const WIDTH = 1400;
const ROW = 16;
/** Narrower boxes cannot be read or pointed at. */
const LEAST_WIDTH = 0.6;
const LETTER_WIDTH = 6.6;

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text) => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]);

const fileOf = (frame) => frame.replace(/file:\/\/\S*?(?=\/(?:dist|node_modules|bench)\/)|^\s+/g, '');

/** Functions by name, each with its time including the functions that it calls. */
function treeOf(profile) {
  const root = { name: 'all', time: 0, children: new Map() };
  const separator = '\n';
  for (const [stack, time] of timeBy(profile, (frames) => [...frames].reverse().join(separator))) {
    const frames = stack.split(separator).slice(1);
    if (frames[0]?.startsWith('(idle)')) continue;
    root.time += time;
    let at = root;
    for (const name of frames) {
      const child = at.children.get(name) ?? { name, time: 0, children: new Map() };
      at.children.set(name, child);
      child.time += time;
      at = child;
    }
  }
  return root;
}

const HUES = [
  [/node_modules\/(?:pg|typeorm)/, 200],
  [/node_modules\//, 90],
  [/\/dist\//, 20],
  [/node:/, 270],
];

function boxOf({ name, time }, { x, width, level, total }) {
  const hue = HUES.find(([pattern]) => pattern.test(name))?.[1] ?? 0;
  const label = fileOf(name);
  const room = Math.floor(width / LETTER_WIDTH);
  const text =
    room < 4
      ? ''
      : `<text x="${(x + 2).toFixed(1)}" y="${-(level * ROW) - 4}">${escape(label.slice(0, room))}</text>`;
  const title = `<title>${escape(label)}: ${((100 * time) / total).toFixed(1)} %</title>`;
  return `<g>${title}<rect x="${x.toFixed(1)}" y="${-(level + 1) * ROW}" width="${width.toFixed(1)}" height="${ROW - 1}" fill="hsl(${hue} 60% 75%)"/>${text}</g>`;
}

/** The text of an SVG file. */
export function flameGraphOf(profile) {
  const root = treeOf(profile);
  const boxes = [];
  let levels = 0;
  const draw = (node, x, level) => {
    const width = (node.time / root.time) * WIDTH;
    if (width < LEAST_WIDTH) return;
    levels = Math.max(levels, level);
    boxes.push(boxOf(node, { x, width, level, total: root.time }));
    let at = x;
    for (const child of [...node.children.values()].sort((one, other) => other.time - one.time)) {
      draw(child, at, level + 1);
      at += (child.time / root.time) * WIDTH;
    }
  };
  draw(root, 0, 0);
  const height = (levels + 1) * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 ${-height} ${WIDTH} ${height}" font-family="monospace" font-size="11">\n${boxes.join('\n')}\n</svg>\n`;
}
