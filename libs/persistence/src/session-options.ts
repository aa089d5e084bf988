/**
 * Settings of each session with PostgreSQL that does not come through a pooler, because poolers refuse them. Days begin at midnight UTC
 * in every process, whatever its time zone. Statements are short: compiling one (JIT), as PostgreSQL does if it expects much work,
 * takes longer than to run it.
 */
export const SESSION_OPTIONS = '-c timezone=UTC -c jit=off -c random_page_cost=1.1';
