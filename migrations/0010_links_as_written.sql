-- Which file a context link names, read as the program reads it: without bullet or number, quotes, remark, anchor and line
-- number, several where commas are between them.

DROP VIEW work_link_paths;
CREATE VIEW work_link_paths AS
WITH linked AS (
       SELECT n.id AS node, trim(replace(j.value, '\', '/')) AS link
         FROM work_nodes n, json_each(n.context_links) j
        WHERE j.type = 'text'
     ),
     unlisted AS (
       SELECT node, CASE WHEN link GLOB '[-*+•] *' THEN ltrim(substr(link, 3))
                         WHEN link GLOB '[0-9]*' AND ltrim(link, '0123456789') LIKE '. %'
                           THEN ltrim(substr(ltrim(link, '0123456789'), 3))
                         ELSE link END AS link
         FROM linked
        WHERE link NOT LIKE '#%' AND link NOT LIKE '//%' AND link NOT LIKE '<!--%'
     ),
     parts AS (
       SELECT node, trim(p.value) AS part
         FROM unlisted, json_each('[' || replace(json_quote(link), ',', '","') || ']') p
     ),
     quoted AS (
       SELECT node, part, replace(replace(substr(part, 2), '"', '`'), '''', '`') AS rest,
              substr(part, 1, 1) IN ('`', '"', '''') AS is_quoted
         FROM parts
     ),
     named AS (
       SELECT node, CASE WHEN is_quoted AND instr(rest, '`') > 0 THEN substr(rest, 1, instr(rest, '`') - 1)
                         ELSE part END AS name,
              is_quoted AND instr(rest, '`') > 0 AS is_whole
         FROM quoted
     ),
     unremarked AS (
       SELECT node, CASE WHEN is_whole THEN name ELSE substr(
                substr(substr(substr(name, 1, instr(name || ' - ', ' - ') - 1),
                  1, instr(name || ' — ', ' — ') - 1), 1, instr(name || ' – ', ' – ') - 1),
                1, instr(name || ' (', ' (') - 1) END AS name
         FROM named
     ),
     anchored AS (
       SELECT node, trim(substr(name, 1, instr(name || '#', '#') - 1)) AS name
         FROM unremarked WHERE instr(name, '://') = 0
     ),
     numbered AS (
       SELECT node, CASE WHEN name GLOB '*?:[0-9]*' THEN substr(name, 1, instr(name, ':') - 1) ELSE name END AS name
         FROM anchored
     ),
     relative AS (
       SELECT node, rtrim(replace(CASE WHEN name LIKE './%' THEN substr(name, 3) ELSE name END, '//', '/'), '/') AS path
         FROM numbered
     )
SELECT node, path FROM relative WHERE path <> '';

DELETE FROM work_open_links;
INSERT OR IGNORE INTO work_open_links (path, node)
SELECT p.path, p.node FROM work_link_paths p JOIN work_nodes n ON n.id = p.node WHERE n.resolved = 0;
