use crate::support::TestApp;
use graph::work::*;
use serde_json::json;

#[test]
fn smoke() {
    let mut app = TestApp::new();
    let settings = app.app.work();
    let opened = app.write("a", |tx| open(tx, "p", Some("do it"))).unwrap();
    println!("{}", json!(opened));
    let plan_: Plan = serde_json::from_value(json!({"nodes":[
      {"ref":"a","summary":"first","context_links":["src/a.rs"]},
      {"ref":"b","summary":"second","depends_on":["a"],"parent_ref":"a"},
      {"ref":"c","summary":"third","depends_on":["b"],"properties":{"priority":5}}]}))
    .unwrap();
    let planned = app.write("a", |tx| plan(tx, &plan_)).unwrap();
    println!("{}", json!(planned));
    app.advance_millis(1000);
    let n = app.write("a", |tx| next_claimed(tx, &settings, &Next::default())).unwrap();
    println!("{}", json!(n));
    let u: Update = serde_json::from_value(json!({"updates":[{"node_id":planned.created[0].id,"resolved":true,"add_evidence":[{"type":"git","ref":"abc"}]}]})).unwrap();
    println!("{}", json!(app.write("b", |tx| update(tx, &settings, &u)).unwrap()));
    println!(
        "{}",
        json!(
            app.read("b", |tx| query(
                tx,
                &settings,
                &Query {
                    filter: Filter { text: Some("IRS".into()), ..Default::default() },
                    ..Query::default()
                }
            ))
            .unwrap()
        )
    );
    println!(
        "{}",
        json!(
            app.read("b", |tx| context(
                tx,
                &Context { node_id: "n_0000000001".into(), depth: None }
            ))
            .unwrap()
        )
    );
    println!(
        "{}",
        json!(app.read("b", |tx| onboard(tx, &settings, &Onboard::default(), "b")).unwrap())
    );
    println!(
        "{}",
        json!(
            app.read("b", |tx| history(
                tx,
                &History { node_id: "n_0000000002".into(), limit: None, cursor: None }
            ))
            .unwrap()
        )
    );
    println!(
        "{}",
        json!(
            app.write("b", |tx| restructure(
                tx,
                &settings,
                &[Operation::Merge {
                    source: "n_0000000003".into(),
                    target: "n_0000000002".into()
                }]
            ))
            .unwrap()
        )
    );
    println!(
        "{}",
        json!(
            app.write("b", |tx| restructure(
                tx,
                &settings,
                &[Operation::Drop { node_id: "n_0000000001".into(), reason: "enough".into() }]
            ))
            .unwrap()
        )
    );
}
