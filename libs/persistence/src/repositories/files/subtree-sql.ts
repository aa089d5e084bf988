/**
 * Joins the entries of each folder, with alias `n`. They are looked up folder by folder; right after many nodes came, Postgres would otherwise
 * read all nodes for each level of folders. A range of one id is served by the index whatever the statistics say: where one folder has nearly
 * all nodes, Postgres takes each node for such a folder, and reads all nodes for it.
 */
export const joinEntriesOf = (folderId: string, columns = '*'): string =>
  `CROSS JOIN LATERAL (SELECT ${columns} FROM node WHERE parent_id >= ${folderId} AND parent_id <= ${folderId} OFFSET 0) n`;

/**
 * Query of a `WITH RECURSIVE` clause: the ids of some nodes and of all nodes below them.
 * @param tops condition on a node at the top
 */
export const subtreesOf = (tops: string): string => `sub AS (
     SELECT id FROM node WHERE ${tops}
     UNION ALL
     SELECT n.id FROM sub ${joinEntriesOf('sub.id', 'id')}
   )`;

export const SUBTREE = subtreesOf('id = :nodeId');

/**
 * Whether a column has an id of a query of the same statement. The ids are an array, for which Postgres expects few rows and takes
 * an index. For a query with recursion it expects so many rows that it reads tables with tens of thousands from end to end.
 */
export const among = (column: string, query: string): string =>
  `${column} = ANY(ARRAY(SELECT id FROM ${query}))`;

export const inSubtree = (column: string): string => among(column, 'sub');
