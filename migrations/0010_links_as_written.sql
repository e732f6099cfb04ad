-- Which file a context link names, read as the program reads it: without bullet or number, quotes, remark, anchor and line
-- number, several where commas are between them. A link that is just a path takes the short way. On the long one each
-- json_each keeps what was worked out before it; SQLite would else write it out wherever it is used, and work it out anew.

DROP VIEW work_link_paths;
CREATE VIEW work_link_paths AS
WITH linked AS NOT MATERIALIZED (
       SELECT n.id AS node, trim(replace(j.value, '\', '/')) AS link
         FROM work_nodes n, json_each(n.context_links) j
        WHERE j.type = 'text'
     ),
     named AS (
       SELECT node, link AS name FROM linked
        WHERE link NOT GLOB '*[ ,`"''#:]*' AND link NOT LIKE '//%'
       UNION ALL
       SELECT linked.node, bare.value
         FROM linked,
              json_each('[' || replace(json_quote(
                CASE WHEN link GLOB '[-*+•] *' THEN substr(link, 3)
                     WHEN link GLOB '[0-9]*' AND ltrim(link, '0123456789') LIKE '. %'
                       THEN substr(ltrim(link, '0123456789'), 3)
                     ELSE link END), ',', '","') || ']') listed,
              json_each(json_array(trim(listed.value))) part,
              json_each(json_array(
                CASE WHEN part.value GLOB '[`"'']*[`"'']*'
                       THEN substr(part.value, 2, instr(replace(replace(substr(part.value, 2), '"', '`'), '''', '`'), '`') - 1)
                     ELSE substr(substr(substr(substr(part.value,
                            1, instr(part.value || ' - ', ' - ') - 1), 1, instr(part.value || ' — ', ' — ') - 1),
                            1, instr(part.value || ' – ', ' – ') - 1), 1, instr(part.value || ' (', ' (') - 1) END)) told,
              json_each(json_array(trim(substr(told.value, 1, instr(told.value || '#', '#') - 1)))) bare
        WHERE link GLOB '*[ ,`"''#:]*' AND link NOT LIKE '#%' AND link NOT LIKE '//%' AND link NOT LIKE '<!--%'
          AND instr(told.value, '://') = 0
     ),
     relative AS (
       SELECT node, CASE WHEN name GLOB '*?:[0-9]*' THEN substr(name, 1, instr(name, ':') - 1) ELSE name END AS name
         FROM named
     )
SELECT node, rtrim(replace(CASE WHEN name LIKE './%' THEN substr(name, 3) ELSE name END, '//', '/'), '/') AS path
  FROM relative WHERE name <> '';

DELETE FROM work_open_links;
INSERT OR IGNORE INTO work_open_links (path, node)
SELECT p.path, p.node FROM work_link_paths p JOIN work_nodes n ON n.id = p.node WHERE n.resolved = 0;
