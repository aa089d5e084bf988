import MarkdownIt from 'markdown-it';

/** HTML in the text is shown as text, and nothing is loaded from other hosts: only the names of pictures are shown. */
const MARKDOWN = new MarkdownIt({ html: false, linkify: false });
MARKDOWN.disable('image');
MARKDOWN.validateLink = () => false;

export function markdownNode(text: string): Node {
  const article = document.createElement('article');
  const parsed = new DOMParser().parseFromString(MARKDOWN.render(text), 'text/html');
  article.append(...parsed.body.childNodes);
  return article;
}
